"""A module that nothing imports: a stored name must not change that."""

from __future__ import annotations


def run() -> None:
    raise AssertionError("a stored name was imported")
