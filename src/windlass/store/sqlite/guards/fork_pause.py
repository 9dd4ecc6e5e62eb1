"""Keeps threads out of SQLite while the process forks.

SQLite remembers in memory which locks its process holds. A child that was forked in the middle of that believes that it
holds locks which it does not hold, or waits for ever for a mutex whose owner it did not inherit. So a fork waits until
no thread is inside, and while it lasts no thread gets in.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from windlass import clock

P = ParamSpec("P")
T = TypeVar("T")

_MOMENT = 0.0005
"""Seconds between two checks of a thread that has to wait. A fork takes a moment and is rare, and a check holds no lock
that an exception from outside could leave taken.
"""


class ForkPause:
    """The threads that use a connection. A thread does not enter twice.

    Each operation on the sets is one step of the interpreter. A thread first enters and then looks whether a fork is
    under way, and a fork first says so and then looks who is inside, so they cannot miss each other.
    """

    def __init__(self) -> None:
        self.inside: set[int] = set()
        self._halting: set[int] = set()

    def enter(self) -> None:
        """Enter as soon as no fork is under way."""
        me = get_ident()
        self.inside.add(me)
        while self._halting:
            self.inside.discard(me)
            clock.sleep(_MOMENT)
            self.inside.add(me)

    def halt(self) -> None:
        """Let no thread in any more; returns when the last has left."""
        self._halting.add(get_ident())
        while self.inside:
            clock.sleep(_MOMENT)

    def resume(self) -> None:
        """Take this thread's ``halt`` back."""
        self._halting.discard(get_ident())


class Forking(Protocol):
    """What has to take part in the forks of its process."""

    fork_pause: ForkPause

    def before_fork(self) -> None: ...

    def after_fork_in_parent(self) -> None: ...

    def reset_after_fork(self) -> None: ...


F = TypeVar("F", bound=Forking)


def waits_for_forks(method: Callable[Concatenate[F, P], T]) -> Callable[Concatenate[F, P], T]:
    """A method that uses connections; it does not call another that is marked so."""

    @wraps(method)
    def waiting(owner: F, /, *args: P.args, **kwargs: P.kwargs) -> T:
        pause = owner.fork_pause
        # Left twice: an exception from outside (Ctrl-C, a signal handler that raises) may strike the first leaving.
        try:
            try:
                pause.enter()
                return method(owner, *args, **kwargs)
            finally:
                pause.inside.discard(get_ident())
        finally:
            pause.inside.discard(get_ident())

    return waiting


def take_part_in_forks(owner: F) -> None:
    """Call its methods around every fork for as long as it lives, without keeping it alive."""
    reference = weakref.ref(owner)

    def of_owner(act: Callable[[F], None]) -> Callable[[], None]:
        def at_fork() -> None:
            living = reference()
            if living is not None:
                act(living)

        return at_fork

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=of_owner(type(owner).before_fork),
            after_in_parent=of_owner(type(owner).after_fork_in_parent),
            after_in_child=of_owner(type(owner).reset_after_fork),
        )
