"""A connection of any library behind one small interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from windlass.store.caller.script import Look, Own, Query, Reply, Step
from windlass.threads.in_thread import in_thread

Values = Sequence[Any] | Mapping[str, Any]


class Channel(ABC):
    """A connection of a library that blocks."""

    database: str
    """What it is connected to: ``postgresql``, ``sqlite``, or another that no store of ours is made of."""

    @abstractmethod
    def query(self, text: str, values: Values) -> Reply:
        """Carry out one statement; raises what the library raises."""

    def raw(self) -> object:
        """The database library's own connection."""
        raise NotImplementedError

    def take(self, step: Step) -> Any:
        """Carry out one step of a script."""
        match step:
            case Query(text, values):
                return self.query(text, values)
            case Look(see):
                return see(self.raw())
            case Own(work):
                return work()
            case _:
                assert_never(step)


class AsyncChannel(ABC):
    """A connection of a library that is awaited."""

    database: str

    @abstractmethod
    async def take_theirs(self, step: Query | Look) -> Any:
        """Carry out a step that needs the caller's connection."""

    async def take(self, step: Step) -> Any:
        """Carry out one step of a script; the event loop goes on while our own connections work."""
        if isinstance(step, Own):
            return await in_thread(step.work)
        return await self.take_theirs(step)
