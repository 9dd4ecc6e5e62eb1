"""A page with a form, which shows again what was typed when something is wrong with it.

A form page is not live: what is typed must not change under the hands. Its form carries the version of what it was read
from, so that two operators do not overwrite each other unseen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from windlass.web.problems import Problem, bad_input
from windlass.web.route import Call
from windlass.web.site.page import Page

ShowAgain = Callable[[Call[Any, Any], Problem], Page]
"""The page of a form with what was typed and what is wrong with it; it reads nothing."""

_ABOUT = re.compile(r"^(?:\w+ '[^']*': )+")
"""What messages begin with to say what they are about, as in ``schedule 'nightly': task 'report': ...``."""
_MENDED_HERE = (400, 409, 412, 422)
"""The problems that a person mends in the form."""


def can_be_mended(call: Call[Any, Any], problem: Problem) -> bool:
    """Whether a person can mend in the form what was wrong with it."""
    return problem.status in _MENDED_HERE and call.body is not None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a form was not taken, and which of its fields that is about."""

    status: int
    title: str
    detail: str | None
    field: str | None


def refusal_of(problem: Problem, given: Mapping[str, str], *, aliases: Mapping[str, str] | None = None) -> Refusal:
    """A problem as a form shows it: beside the field whose value it quotes, or that it names.

    ``aliases`` are what messages call fields that the form calls otherwise.
    """
    status = 422 if problem.status == 400 else problem.status
    field = problem.field if problem.field in given else _field_in(problem.detail or "", given, aliases or {})
    return Refusal(status, problem.title, problem.detail, None if status == 412 else field)


def _field_in(message: str, given: Mapping[str, str], aliases: Mapping[str, str]) -> str | None:
    message = _ABOUT.sub("", message)
    quoted = [name for name, value in given.items() if value.strip() and repr(value.strip()) in message]
    if len(quoted) == 1:
        return quoted[0]
    known = {name: name for name in given} | dict(aliases)
    return next((known[word] for word in re.findall(r"\w+", message) if word in known), None)


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
