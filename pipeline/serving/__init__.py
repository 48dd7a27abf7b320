"""How a service answers: branches asked at the same time, each with a budget, fused by contract."""

from pipeline.serving.answering import Served, serve, surviving
from pipeline.serving.asking import Ask, Reply, ask_branches
from pipeline.serving.states import HEALTHY, PARTIAL, Status

__all__ = [
    "HEALTHY",
    "PARTIAL",
    "Ask",
    "Reply",
    "Served",
    "Status",
    "ask_branches",
    "serve",
    "surviving",
]
