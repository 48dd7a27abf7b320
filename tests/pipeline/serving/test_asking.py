"""Branches asked at the same time, each within its budget."""

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from threading import Barrier, Event
from time import sleep

import pytest

from pipeline.serving import Reply, ask_branches

OK = Reply("ok")


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(4) as made:
        yield made


@pytest.fixture
def released() -> Iterator[Event]:
    """What a hanging branch waits for: set at the end, so that its thread ends too."""
    event = Event()
    yield event
    event.set()


def raising(problem: Exception):
    def call() -> Reply:
        raise problem

    return call


def hanging(event: Event):
    def call() -> Reply:
        event.wait()
        return OK

    return call


def test_branches_are_asked_at_the_same_time(pool):
    met = Barrier(2, timeout=600)

    def meeting() -> Reply:
        met.wait()  # one alone would wait in vain
        return OK

    replies = ask_branches({"dense": meeting, "bm25": meeting}, budgets_ms={}, pool=pool)
    assert [(name, reply.status) for name, reply in replies.items()] == [
        ("bm25", "ok"),
        ("dense", "ok"),
    ]


def test_a_branch_past_its_budget_is_not_waited_for(pool, released):
    calls = {"bm25": lambda: OK, "slow": hanging(released)}
    replies = ask_branches(calls, budgets_ms={"slow": 5}, pool=pool)
    assert replies["slow"].status == "timeout"
    assert replies["slow"].reason == "no reply within 5 ms"
    assert replies["slow"].milliseconds >= 5
    assert replies["bm25"].status == "ok"


class AtOnce(Executor):
    """Runs each call before the next is made: replies are there before anybody waits for them."""

    def submit(self, call, /, *arguments, **named):
        future = Future()
        future.set_result(call(*arguments, **named))
        return future


def test_a_late_reply_is_a_timeout_even_where_it_was_still_collected():
    def slow() -> Reply:
        sleep(0.01)
        return OK

    replies = ask_branches({"a": slow}, budgets_ms={"a": 5}, pool=AtOnce())
    assert (replies["a"].status, replies["a"].rows) == ("timeout", None)
    assert ask_branches({"a": slow}, budgets_ms={"a": 600_000}, pool=AtOnce())["a"].status == "ok"


def test_a_branch_that_raises_is_an_error_and_its_text_is_not_kept(pool):
    calls = {"bm25": lambda: OK, "dense": raising(ValueError("the query said: secret"))}
    replies = ask_branches(calls, budgets_ms={}, pool=pool)
    assert (replies["dense"].status, replies["dense"].reason) == ("error", "ValueError")
    assert replies["bm25"].status == "ok"


def test_a_client_that_gave_up_by_itself_is_a_timeout(pool):
    replies = ask_branches({"dense": raising(TimeoutError())}, budgets_ms={}, pool=pool)
    assert replies["dense"].status == "timeout"


def test_waiting_for_a_thread_counts_against_the_budget(released):
    with ThreadPoolExecutor(1) as narrow:
        narrow.submit(released.wait)
        replies = ask_branches({"bm25": lambda: OK}, budgets_ms={"bm25": 5}, pool=narrow)
        released.set()
    assert replies["bm25"].status == "timeout"
