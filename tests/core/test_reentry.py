"""Reentry: a thread that enters twice is refused; one that never left for good is not."""

from __future__ import annotations

from threading import Thread

import pytest

from windlass.errors import ReentrantCall
from windlass.threads.reentry import Reentry


def test_a_second_entry_is_refused_while_the_first_lasts() -> None:
    reentry = Reentry("Windlass")

    def enter(deeper: int) -> None:
        with reentry:
            if deeper:
                enter(deeper - 1)

    with pytest.raises(ReentrantCall, match=r"^Windlass was called while this thread"):
        enter(1)
    enter(0)


def test_other_threads_may_enter_meanwhile() -> None:
    reentry, entered = Reentry("Windlass"), []

    def enter() -> None:
        with reentry:
            entered.append(True)

    with reentry:
        thread = Thread(target=enter)
        thread.start()
        thread.join()
    assert entered == [True]


def test_an_entry_that_was_cut_off_before_its_block_does_not_count() -> None:
    """An exception from outside may strike between the two; then nobody leaves."""
    reentry = Reentry("Windlass")

    def cut_off() -> None:
        reentry.__enter__()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut_off()
    with reentry:
        pass
