"""``ETag`` and ``If-Match``: a change of settings says which state of them it was made for."""

from __future__ import annotations

import hashlib

import msgspec
from starlette.requests import Request

from windlass.web.problems import Problem

ANY = "*"
"""The tag of any settings."""


def etag_of(value: object) -> str:
    """The tag of settings.

    >>> etag_of({"weight": 3}) == etag_of({"weight": 3}), etag_of({"weight": 3}) == etag_of({"weight": 4})
    (True, False)
    """
    return f'"{hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:32]}"'


def check_match(request: Request, current: object) -> None:
    """Raise unless the request was made for these settings."""
    check_tag(given_tag(request), current)


def check_tag(given: str, current: object) -> None:
    """Raise unless the tag, or one of several, is that of these settings; ``*`` is that of any."""
    if given != ANY and etag_of(current) not in [tag.strip().removeprefix("W/") for tag in given.split(",")]:
        raise changed_meanwhile()


def changed_meanwhile() -> Problem:
    """Others have changed it since it was read."""
    return Problem(
        412, "Changed meanwhile", "it was changed since it was read; read it again and decide anew", field="If-Match"
    )


def given_tag(request: Request) -> str:
    """What the request says that it was made for; raises where it says nothing."""
    given = request.headers.get("if-match", "").strip()
    if not given:
        raise Problem(
            428,
            "Precondition required",
            "send If-Match with the ETag that it was read with, or * to change it whatever others have changed",
            field="If-Match",
        )
    return given
