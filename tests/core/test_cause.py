"""The fingerprint of an error: the same for what one fix mends."""

from __future__ import annotations

import pytest

from windlass.core.fault import Fault, fingerprint, outline, place_of


def fault(message: str = "", *, type: str = "KeyError", traceback: str = "") -> Fault:
    return Fault(at=0, attempt=1, worker="w", type=type, message=message, traceback=traceback)


def trace(*frames: tuple[str, str], line: int = 7) -> str:
    lines = [f'  File "{path}", line {line}, in {function}\n    pass\n' for path, function in frames]
    return "Traceback (most recent call last):\n" + "".join(lines) + "KeyError: 'x'\n"


@pytest.mark.parametrize(
    ("message", "rest"),
    [
        ("no user 17", "no user …"),
        ("user 'ann' at \"home\"", "user … at …"),
        ("550e8400-e29b-41d4-a716-446655440000 is gone", "… is gone"),
        ("timed out after 3.5s at 10.0.0.1:5432", "timed out after … at …"),
        ("<object at 0x7f3a9c>", "<object at …>"),
        ("two\n  lines", "two lines"),
        ("", ""),
    ],
)
def test_what_differs_from_job_to_job_is_taken_out(message: str, rest: str) -> None:
    """F7."""
    assert outline(message) == rest


def test_an_outline_is_bounded() -> None:
    assert len(outline("word " * 100_000)) <= 200


def test_the_place_is_the_innermost_of_the_users_own_code() -> None:
    """F7: file and function; neither the line nor where the project lies."""
    own, library = ("/srv/1/shop/tasks.py", "charge"), ("/usr/lib/site-packages/http/client.py", "send")
    elsewhere = ("/home/ann/shop/tasks.py", "charge")
    assert place_of(fault(traceback=trace(own, library))) == "shop/tasks.py in charge"
    assert place_of(fault(traceback=trace(library))) == "http/client.py in send"
    assert place_of(fault()) is None
    same = {fingerprint(fault(traceback=trace(one, library, line=line))) for one in (own, elsewhere) for line in (7, 8)}
    assert len(same) == 1


def test_type_place_and_message_tell_causes_apart() -> None:
    """F7."""
    place = trace(("/srv/shop/tasks.py", "refund"))
    causes = [fault("a"), fault("b"), fault("a", type="OSError"), fault("a", traceback=place)]
    assert len({fingerprint(one) for one in causes}) == 4
