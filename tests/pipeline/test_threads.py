"""Work in parts, on all cores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

import pipeline.threads
from pipeline.threads import LinearAlgebra, even_parts

COUNTS = st.integers(0, 5000), st.integers(1, 2000), st.integers(1, 2000)


@given(*COUNTS)
def test_parts_follow_each_other_and_leave_nothing_out(
    count: int, at_once: int, least: int
) -> None:
    parts = even_parts(count, at_once, least=least)
    assert [one for part in parts for one in part] == list(range(count))


@given(*COUNTS)
def test_parts_are_even_and_within_their_bounds(count: int, at_once: int, least: int) -> None:
    sizes = [len(part) for part in even_parts(count, at_once, least=least)]
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == 1 or min(sizes) >= least
    # Two parts may have to be one where each would be smaller than the least.
    assert max(sizes) <= max(at_once, 2 * least - 1)


def test_each_core_has_as_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline.threads, "usable_cores", lambda: 4)
    assert [len(part) for part in even_parts(90, 20, least=1)] == [11, 11, 11, 12] * 2


def test_what_fits_at_once_is_one_part() -> None:
    assert even_parts(20, 20, least=1) == [range(20)]


def _blas_threads(_: int) -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_several_blocks_have_one_thread_of_linear_algebra_each() -> None:
    assert LinearAlgebra().on_all_cores(_blas_threads, 3) == [{1}] * 3


def test_a_block_alone_keeps_the_libraries_threads() -> None:
    assert LinearAlgebra().on_all_cores(_blas_threads, 1) == [_blas_threads(0)]


def test_found_is_returned_in_the_order_of_blocks() -> None:
    assert LinearAlgebra().on_all_cores(lambda block: block * block, 50) == [
        block * block for block in range(50)
    ]
