"""The connections of one process to a server: bounded, first come first served."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from windlass import clock

C = TypeVar("C")
T = TypeVar("T")


class _Loan(Generic[C]):
    """One caller's place, or its wait for one. It exists before anything is taken, so all of it can be given back."""

    __slots__ = ("connection", "turn")

    def __init__(self) -> None:
        self.connection: C | None = None
        self.turn: Lock | None = None
        """Taken while the caller waits; released by the thread that hands it a place."""


class Pool(Generic[C]):
    """Lends connections; a caller that finds no place free waits, and callers are served in turn.

    An exception from outside (Ctrl-C, a signal handler that raises, one set by another thread) may strike a caller at
    any instruction, also while it is handed a place. So who has a place is one set that loans are put in and taken out
    of, giving back does no harm twice, and it is done twice.
    """

    def __init__(
        self,
        count: int,
        *,
        obtain: Callable[[float], C],
        give_back: Callable[[C], None],
        refusal: Callable[[], Exception],
    ) -> None:
        self.count = count
        self._obtain = obtain
        self._give_back = give_back
        self._refusal = refusal
        self._lock = Lock()
        self._lent: set[_Loan[C]] = set()
        self._waiting: deque[_Loan[C]] = deque()
        self.idle: list[C] = []
        """Connections that no caller uses."""

    @property
    def free(self) -> int:
        """How many places no caller has."""
        return self.count - len(self._lent)

    def lend(self, work: Callable[[C], T], *, until: float, obtain: Callable[[float], C] | None = None) -> T:
        """What ``work`` returns, given a connection; raises the refusal when no place becomes free in time."""
        loan = _Loan[C]()
        try:
            try:
                if not self._take_place(loan, until):
                    raise self._refusal()
                loan.connection = connection = (obtain or self._obtain)(until)
                return work(connection)
            finally:
                self._end(loan)
        finally:
            self._end(loan)

    def pop(self) -> C | None:
        """An idle connection, which belongs to the caller from now on."""
        try:
            return self.idle.pop()
        except IndexError:
            return None

    def refuse_waiting(self) -> None:
        """Let all who wait for a place go without one."""
        with self._lock:
            for loan in self._waiting:
                _wake(loan)
            self._waiting.clear()

    def _take_place(self, loan: _Loan[C], until: float) -> bool:
        with self._lock:
            if len(self._lent) < self.count and not self._waiting:
                self._lent.add(loan)
                return True
            turn = loan.turn = Lock()
            turn.acquire()
            self._waiting.append(loan)
        clock.acquire(turn, max(0.0, until - clock.monotonic()))
        return loan in self._lent

    def _end(self, loan: _Loan[C]) -> None:
        connection, loan.connection = loan.connection, None
        if connection is not None:
            self._give_back(connection)
        with self._lock:
            self._lent.discard(loan)
            if loan in self._waiting:
                self._waiting.remove(loan)
            self._hand_on()

    def _hand_on(self) -> None:
        """Give free places to those who have waited longest: a caller that comes by would take them away for ever."""
        while self._waiting:
            first = self._waiting[0]
            if first not in self._lent:
                if len(self._lent) >= self.count:
                    return
                self._lent.add(first)
            _wake(first)
            self._waiting.popleft()


def _wake(loan: _Loan[C]) -> None:
    if loan.turn is not None and loan.turn.locked():
        loan.turn.release()
