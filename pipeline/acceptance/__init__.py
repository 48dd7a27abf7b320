"""What a service makes of what its branches replied: used, mended or refused, and said so."""

from pipeline.acceptance.accepting import Accepted, accept
from pipeline.acceptance.calls import accept_call
from pipeline.acceptance.known import Known, known_of
from pipeline.acceptance.marks import MARKS, Mark
from pipeline.acceptance.replies import STATES, Replies, replies_of

__all__ = [
    "MARKS",
    "STATES",
    "Accepted",
    "Known",
    "Mark",
    "Replies",
    "accept",
    "accept_call",
    "known_of",
    "replies_of",
]
