"""A page with a form, which shows again what was typed when something is wrong with it.

A form page is not live: what is typed must not change under the hands. Its form carries the version of what it was read
from, so that two operators do not overwrite each other unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from windlass.web.problems import Problem, bad_input
from windlass.web.route import Call
from windlass.web.site.page import Page

ShowAgain = Callable[[Call[Any, Any], Problem], Page]
"""The page of a form with what was typed and what is wrong with it; it reads nothing."""

_MENDED_HERE = (400, 409, 412, 422)
"""The problems that a person mends in the form."""


def can_be_mended(call: Call[Any, Any], problem: Problem) -> bool:
    """Whether a person can mend in the form what was wrong with it."""
    return problem.status in _MENDED_HERE and call.body is not None


def typed(form: msgspec.Struct) -> dict[str, Any]:
    """The fields of a form as they were typed."""
    return msgspec.structs.asdict(form)


def whole_number(text: str, name: str) -> int | None:
    """A field that takes a whole number; None where it is blank."""
    if not text:
        return None
    try:
        return int(text.replace(",", "").replace(" ", ""))
    except ValueError:
        raise bad_input(f"{name} must be a whole number, got {text!r}", field=name) from None


def changed(given: Mapping[str, Any], before: Mapping[str, Any], *names: str) -> bool:
    """Whether one of these fields says something else than before."""
    return any(given[name].strip() != before[name] for name in names)
