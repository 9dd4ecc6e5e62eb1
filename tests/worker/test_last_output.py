"""What a child leaves in shared memory."""

from __future__ import annotations

from multiprocessing import get_context

import pytest

from windlass.worker.executors.processes.child_side.last_output import LastOutput


@pytest.fixture
def words() -> LastOutput:
    return LastOutput(get_context("spawn"))


def test_the_newest_lines_are_there_at_every_moment(words: LastOutput) -> None:
    """Around the edge of the memory, many times."""
    for number in range(2000):
        words.add(f"line {number}\n")
        lines = words.text().splitlines()
        assert lines == [f"line {other}" for other in range(number + 1 - len(lines), number + 1)]
        assert len(lines) == number + 1 or len(words.text()) > 4000


def test_a_line_that_is_too_long_is_kept_from_its_end(words: LastOutput) -> None:
    words.add("x" * 10_000 + "the end")
    assert words.text() == "x" * (4096 - 7) + "the end"


def test_the_next_run_begins_anew(words: LastOutput) -> None:
    words.add("what the run before said\n")
    words.clear()
    assert words.text() == ""
    words.add("mine")
    assert words.text() == "mine"


def test_odd_text_is_no_obstacle(words: LastOutput) -> None:
    words.add("a\ud800b\0c")
    assert words.text() == "a?b\0c"
