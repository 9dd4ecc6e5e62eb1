"""A11: the error history of a job."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.fault import Fault, Faults, add_fault, add_log, read_faults


def numbered(number: int) -> Fault:
    return Fault(at=number, attempt=number, worker="w", type="E", message=str(number))


def history_of(count: int) -> str:
    history = None
    for number in range(1, count + 1):
        history = add_fault(history, numbered(number))
    assert history is not None
    return history


@pytest.mark.parametrize("count", [1, 2, 19, 20])
def test_up_to_twenty_faults_are_all_kept(count: int) -> None:
    faults = read_faults(history_of(count))
    assert [fault.attempt for fault in faults.faults] == list(range(1, count + 1))
    assert faults.left_out == 0


@pytest.mark.parametrize("count", [21, 22, 50])
def test_beyond_that_the_first_and_the_newest_nineteen_are_kept(count: int) -> None:
    """A11: the error history, and how many were left out."""
    faults = read_faults(history_of(count))
    assert [fault.attempt for fault in faults.faults] == [1, *range(count - 18, count + 1)]
    assert faults.left_out == count - 20
    assert not faults.corrupt


def test_the_history_is_json_that_others_can_read() -> None:
    assert json.loads(history_of(1)) == {
        "left_out": 0,
        "faults": [
            {
                "at": 1,
                "attempt": 1,
                "worker": "w",
                "type": "E",
                "message": "1",
                "cause": [],
                "traceback": "",
                "log": "",
                "ran_for": None,
                "fence": None,
            }
        ],
    }


def test_a_fault_comes_back_from_its_history() -> None:
    fault = Fault.of(ExceptionGroup("é\n", [KeyError("k")]), at=1, attempt=1, worker="w")
    assert read_faults(add_fault(None, fault)) == Faults(faults=(fault,))


def test_no_history_is_an_empty_one() -> None:
    assert read_faults(None) == Faults(left_out=0, faults=(), corrupt=False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"left_out":0}',
        '{"left_out":0,"faults":[1]}',
        "\ud800",
        "[" * 10_000,
        '{"left_out":"x","faults":[]}',
    ],
)
def test_a_corrupt_history_is_empty_and_says_so(text: str) -> None:
    """B32: lists and pages still work."""
    assert read_faults(text) == Faults(corrupt=True)


@given(st.text())
def test_reading_a_history_never_fails(text: str) -> None:
    assert read_faults(text).corrupt


def test_a_corrupt_history_starts_anew() -> None:
    assert read_faults(add_fault("{", numbered(5))) == Faults(faults=(numbered(5),))


def test_fields_of_a_newer_version_are_ignored() -> None:
    text = history_of(1).rstrip().replace('"at":1', '"at":1,"colour":"red"')
    assert read_faults(text).faults == (numbered(1),)


@pytest.mark.parametrize("count", [0, 1, 30])
def test_the_log_of_an_attempt_that_returned_stands_beside_the_faults(count: int) -> None:
    before = history_of(count) if count else None
    after = read_faults(add_log(before, "all is well"))
    assert after.log == "all is well"
    assert (after.faults, after.left_out) == (read_faults(before).faults, read_faults(before).left_out)
