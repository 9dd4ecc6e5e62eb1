"""Releases among the levels of the store: how many workers ran which code."""

from __future__ import annotations

from collections.abc import Iterable

_PREFIX = "release:"
RELEASES_AT_MOST = 8
"""How many releases are told apart at one moment."""


def release_level(release: str) -> str:
    """The name of the level that says how many workers run a release."""
    return f"{_PREFIX}{release}"


def releases_in(levels: Iterable[str]) -> set[str]:
    """The releases that levels tell of.

    >>> releases_in(["latency", "release:1.4.2"])
    {'1.4.2'}
    """
    return {name.removeprefix(_PREFIX) for name in levels if name.startswith(_PREFIX)}
