"""Faults: what an attempt raised, as bounded and storable text."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.codec import Codec
from windlass.core.codec.convert import convert_result
from windlass.core.codec.signature import unsigned
from windlass.core.fault import Fault, add_fault

KIB = 1024


def raised(function: Callable[[], object]) -> BaseException:
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def fault_of(function: Callable[[], object]) -> Fault:
    return Fault.of(raised(function), at=1_000, attempt=2, worker="w-1")


def fail(error: BaseException, cause: BaseException | None = None) -> Callable[[], object]:
    def function() -> None:
        raise error from cause

    return function


class OrderError(Exception): ...


def test_a_fault_says_when_where_and_what() -> None:
    """A11: time, worker, type, message."""
    fault = fault_of(fail(OrderError("no such order")))
    assert (fault.at, fault.attempt, fault.worker) == (1_000, 2, "w-1")
    assert fault.type == f"{__name__}.OrderError"
    assert fault.message == "no such order"
    assert fault.cause == ()


def test_a_built_in_type_goes_without_its_module() -> None:
    assert fault_of(lambda: 1 / 0).type == "ZeroDivisionError"


def test_the_traceback_names_files_and_lines_and_ends_in_the_error() -> None:
    lines = fault_of(fail(OrderError("no such order"))).traceback.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert any(__file__ in line and "in function" in line for line in lines)
    assert "raise error from cause" in lines[-2]
    assert lines[-1] == f"{__name__}.OrderError: no such order"


def test_values_of_variables_stay_out_of_the_traceback() -> None:
    def pay() -> None:
        card = "4111" + "1111"
        raise OrderError(len(card))

    assert "41111111" not in fault_of(pay).traceback


def test_the_causes_are_told_in_order() -> None:
    """A11: cause chain."""

    def convert() -> None:
        try:
            dict[str, int]()["key"]
        except KeyError as error:
            raise ValueError("no key") from error

    def handle() -> None:
        try:
            convert()
        except ValueError:
            raise OrderError("broken")  # noqa: B904 - the implicit context is the case

    fault = fault_of(handle)
    assert fault.cause == ("ValueError: no key", "KeyError: 'key'")
    first, second, third = fault.traceback.split("It was raised ")
    assert "OrderError: broken" in first
    assert second.startswith("while handling this:")
    assert third.startswith("from this:")
    assert third.endswith("KeyError: 'key'\n")


def test_a_context_that_was_switched_off_is_not_told() -> None:
    def handle() -> None:
        try:
            dict[str, int]()["key"]
        except KeyError:
            raise OrderError("broken") from None

    assert fault_of(handle).cause == ()


def test_causes_that_go_round_in_a_circle_are_told_once() -> None:
    first, second = OrderError("first"), OrderError("second")
    first.__cause__, second.__cause__ = second, first
    assert len(fault_of(fail(first, second)).cause) == 1


def test_at_most_ten_causes_are_told() -> None:
    error = OrderError("0")
    for number in range(1, 30):
        later = OrderError(str(number))
        later.__cause__ = error
        error = later
    causes = fault_of(fail(error, error.__cause__)).cause
    assert [line.rpartition(" ")[2] for line in causes] == [str(number) for number in range(28, 18, -1)]


def test_the_members_of_a_group_are_told() -> None:
    inner = ExceptionGroup("inner", [KeyError("c")])
    fault = fault_of(fail(BaseExceptionGroup("outer", [ValueError("a"), raised(lambda: 1 / 0), inner])))
    assert fault.type == "ExceptionGroup"
    assert fault.message == "outer (3 sub-exceptions)"
    assert fault.cause == (
        "ValueError: a",
        "ZeroDivisionError: division by zero",
        "ExceptionGroup: inner (1 sub-exception)",
        "KeyError: 'c'",
    )
    assert "The group holds this:\n\nTraceback" in fault.traceback


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class Odd(str):
    __slots__ = ()

    def __format__(self, spec: str) -> str:
        raise RuntimeError("odd")


class OddText(Exception):
    def __str__(self) -> str:
        return Odd("odd\0text\ud800")


def test_an_exception_that_cannot_be_printed_is_recorded_all_the_same() -> None:
    """W16: an exception with a failing __str__ is a normal failed attempt."""
    fault = fault_of(fail(Mute(), Mute()))
    assert fault.message == "<no message: __str__ raised RuntimeError>"
    assert fault.cause == (f"{__name__}.Mute: <no message: __str__ raised RuntimeError>",)


def test_all_text_of_a_fault_is_storable() -> None:
    fault = fault_of(fail(OddText()))
    assert fault.message == "odd\N{REPLACEMENT CHARACTER}text\N{REPLACEMENT CHARACTER}"
    assert type(fault.message) is str
    assert "\0" not in add_fault(None, fault)
    assert "\\u0000" not in add_fault(None, fault)


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), StopIteration(1), GeneratorExit(), MemoryError()]
)
def test_exceptions_beside_the_usual_are_recorded_too(error: BaseException) -> None:
    assert fault_of(fail(error)).type == type(error).__name__


def test_an_endless_recursion_is_told_by_its_ends() -> None:
    def dive(depth: int) -> int:
        return dive(depth + 1) + 1

    fault = fault_of(lambda: dive(0))
    assert fault.type == "RecursionError"
    assert "frames left out]" in fault.traceback
    assert len(fault.traceback.encode()) <= 16 * KIB


def climb(levels: int) -> None:
    # Two functions in turn, so that Python does not fold the lines itself.
    if levels <= 1:
        raise OrderError("top")
    climb_on(levels - 1)


def climb_on(levels: int) -> None:
    if levels <= 1:
        raise OrderError("top")
    climb(levels - 1)


@pytest.mark.parametrize(("levels", "left_out"), [(48, 0), (49, 1), (98, 50)])
def test_a_traceback_has_at_most_fifty_frames(levels: int, left_out: int) -> None:
    # The two frames of this file around it count as well.
    trace = fault_of(lambda: climb(levels)).traceback
    assert trace.count("  File ") == 50
    assert (f"[... {left_out} frames left out]" in trace) == (left_out > 0)


def raised_inside(function: Callable[[], object]) -> BaseException:
    """What it raises, as our own code meets it: without the frames of this file that lead there."""
    error = raised(function)
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return error.with_traceback(trace)


def test_a_traceback_begins_where_the_code_of_the_user_does() -> None:
    def step(value: object, depth: int, scope: object) -> object:
        raise OrderError("step")

    error = raised_inside(lambda: convert_result(step, unsigned([]), 1, depth=1))
    trace = Fault.of(error, at=0, attempt=1, worker="w").traceback
    assert "in step" in trace
    assert "in convert_result" not in trace


def test_a_traceback_of_our_own_code_alone_is_kept() -> None:
    error = raised_inside(lambda: Codec().decode_meta("[]"))
    assert "in decode_meta" in Fault.of(error, at=0, attempt=1, worker="w").traceback


@pytest.mark.parametrize("character", ["x", "é", "\x01", '"', "\ud800", "\0"])
def test_a_huge_message_keeps_the_fault_within_64_kib(character: str) -> None:
    """B2: an error is at most 64 KiB, and cut."""
    error = OrderError(character * 1_000_000)
    fault = fault_of(fail(error, error.with_traceback(None)))
    size = len(msgspec.json.encode(fault))
    assert 1 * KIB < size <= 64 * KIB
    assert "[cut, " in fault.message
    assert "in function" in fault.traceback


@given(st.text(max_size=200), st.integers(1 * KIB, 4 * KIB))
def test_a_lower_limit_holds_too(message: str, limit: int) -> None:
    fault = Fault.of(OrderError(message * 50), at=0, attempt=1, worker="w" * 1000, limit=limit)
    assert len(msgspec.json.encode(fault)) <= limit
