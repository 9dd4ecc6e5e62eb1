"""Who is measured: a store of ours in one of its variants, or a peer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.place import Place
from benchmarks.server import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One column of the tables."""

    title: str
    store: str
    variant: str | None = None
    """Of our own store; peers have none."""
    peer: str | None = None
    python: str = sys.executable
    """The interpreter of the environment that has what is measured."""

    @property
    def key(self) -> str:
        return self.peer or f"{self.store}-{self.variant}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a fresh process is told to do: one round."""

    contender: Contender
    measurement: str
    """The name of one of our measurements, or of what a peer measures to compare with it."""
    folder: str
    place: Place
    server: Server
    scale: Mapping[str, Any]
    known: Mapping[str, float]

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Task:
        return cls(
            **{
                **plain,
                "contender": Contender(**plain["contender"]),
                "place": Place(**plain["place"]),
                "server": Server(**plain["server"]),
            }
        )
