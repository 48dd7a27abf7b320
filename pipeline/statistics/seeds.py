"""Random numbers that depend on names, never on the order of calls."""

import hashlib

import numpy as np


def named_generator(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each study seed and names.

    Args:
        seed: the study's seed.
        names: what the draws are for: `("bootstrap", "nDCG@10", "rrf", "bm25")`.

    Returns:
        The same generator for the same arguments, on every machine and in any order of calls.
    """
    return np.random.default_rng(named_seed(seed, *names))


def named_seed(seed: int, *names: str) -> int:
    """A whole number from 0 below 2^128 made of a seed and names."""
    # repr keeps ("a", "b") and ("a, b",) apart.
    text = repr((int(seed), *(str(name) for name in names)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
