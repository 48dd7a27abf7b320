"""One ranked list per branch and query, each branch by itself and to its own depth."""

from pipeline.candidates.opening import open_branch
from pipeline.candidates.retriever import Ranking, Retriever
from pipeline.candidates.stage import BranchResult, compute

__all__ = ["BranchResult", "Ranking", "Retriever", "compute", "open_branch"]
