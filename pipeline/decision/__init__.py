"""The decision: every declared gate, and one word."""

from pipeline.decision.stage import DecisionResult, compute
from pipeline.decision.word import Word, next_steps, word_of

__all__ = ["DecisionResult", "Word", "compute", "next_steps", "word_of"]
