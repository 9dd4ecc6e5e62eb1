"""Tracebacks that begin with the user's own code."""

from __future__ import annotations

import contextlib
import json
import traceback
from collections.abc import Callable, Iterator

from windlass.core.fault.own_code import own_code_first


@contextlib.contextmanager
def managed() -> Iterator[None]:
    yield


def raised_by(function: Callable[[], object]) -> str:
    try:
        function()
    except ValueError as error:
        # As a worker keeps it: without the frame that called the task.
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return "".join(traceback.format_exception(error))
    raise AssertionError


def read() -> object:
    return json.loads("{")


def places(text: str) -> list[str]:
    return [line.split(", in ")[1] for line in text.splitlines() if line.startswith("  File")]


def test_libraries_that_own_code_called_stay_after_it() -> None:
    text = raised_by(read)
    assert own_code_first(text) == text
    assert places(text)[0] == "read"


def test_libraries_that_called_own_code_come_last() -> None:
    text = raised_by(managed()(read))
    assert places(text)[:2] == ["inner", "read"]
    ordered = own_code_first(text)
    assert places(ordered) == ["read", "loads", "decode", "raw_decode", "inner"]
    assert sorted(line for line in ordered.splitlines() if "libraries" not in line) == sorted(text.splitlines())
    assert ordered.splitlines()[-1] == text.splitlines()[-1]


def test_what_is_no_traceback_is_left_alone() -> None:
    for text in ("", "<the traceback could not be rendered>", "ValueError: no frames\n"):
        assert own_code_first(text) == text
