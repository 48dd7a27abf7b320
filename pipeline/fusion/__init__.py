"""Fusion of ranked lists: the contract, the methods, and one point of the grid."""

from pipeline.fusion.collapse import LEVELS, collapse
from pipeline.fusion.configuration import Configuration, configurations_table
from pipeline.fusion.contract import Contract
from pipeline.fusion.frames import fuse
from pipeline.fusion.methods import METHODS, Method
from pipeline.fusion.rrf import FusedItem, reciprocal_rank_fusion

__all__ = [
    "LEVELS",
    "METHODS",
    "Configuration",
    "Contract",
    "FusedItem",
    "Method",
    "collapse",
    "configurations_table",
    "fuse",
    "reciprocal_rank_fusion",
]
