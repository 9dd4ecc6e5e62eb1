"""Group commit: calls that wait for the same lock share one commit.

There is no writer thread. Whoever gets the turn carries out everything that is queued, each call in a savepoint of its
own, commits once, and hands the answers out. While one thread waits for the disk the next batch gathers, so a web
server's threads and a worker's pump share commits, and a lone caller pays for no hand-over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operation import Answer, Call
from windlass.store.sqlite.library import Connection

_SHARED = 64
"""The most calls that share a commit; more would make the first of them wait for too long."""

T = TypeVar("T")


class Guarded(Exception):
    """A guard statement gave rows: the call ends with them and leaves nothing behind."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class _Request:
    __slots__ = ("answer", "call", "error")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.answer: Answer | None = None
        self.error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        return self.answer is not None or self.error is not None


class Writer:
    """One writing connection, shared by threads."""

    def __init__(
        self,
        *,
        connect: Callable[[], Connection],
        begin: Callable[[Connection], None],
        perform: Callable[[Connection, Call], Answer],
    ) -> None:
        self._connect = connect
        self._begin = begin
        self._perform = perform
        self._turn = Lock()
        self._queued: deque[_Request] = deque()
        self._version = -1
        self.connection: Connection | None = None

    def execute(self, call: Call) -> Answer:
        """Carry out one call, alone or in company; returns after the commit."""
        request = _Request(call)
        self._queued.append(request)
        with self._turn:
            if not request.is_done:
                self._commit_queued()
        if request.error is not None:
            raise request.error
        assert request.answer is not None
        return request.answer

    def run_alone(self, work: Callable[[Connection], T]) -> T:
        """Carry out something that is no call, such as a migration, in a transaction of its own."""
        with self._turn:
            connection = self._open()
            self._begin(connection)
            try:
                result = work(connection)
                connection.run("COMMIT")
            except BaseException:
                self._undo(connection)
                raise
            return result

    def sees_foreign_commits(self) -> bool:
        """Whether anybody else has committed since the last time this was asked.

        No while a commit of our own is under way: looking must not hold it up, and the next look comes soon.
        """
        if not self._turn.acquire(blocking=False):
            return False
        try:
            version = int(self._open().run("PRAGMA data_version")[0][0])
            is_new, self._version = version != self._version, version
        finally:
            self._turn.release()
        return is_new

    def close(self) -> None:
        with self._turn:
            if self.connection is not None:
                self.connection.close()
                self.connection = None
                self._version = -1  # the counter of the next connection begins anew

    def _open(self) -> Connection:
        if self.connection is None:
            self.connection = self._connect()
        return self.connection

    def _commit_queued(self) -> None:
        # Our own request is among them: the queue is first in, first out, and it was put there before the turn.
        while True:
            batch = [self._queued.popleft() for _ in range(min(len(self._queued), _SHARED))]
            if not batch:
                return
            self._commit(batch)
            if len(batch) < _SHARED:
                return

    def _commit(self, batch: list[_Request]) -> None:
        try:
            connection = self._open()
            self._begin(connection)
            try:
                answers = self._perform_all(connection, batch)
                connection.run("COMMIT")
            except BaseException:
                self._undo(connection)
                raise
        except BaseException as error:  # nothing was committed: every caller must hear of it
            shared = (
                error if isinstance(error, Exception) else StoreUnavailable("the commit was interrupted; try again")
            )
            for request in batch:
                request.error = request.error or shared
            if not isinstance(error, WindlassError):
                raise
            return
        for request, answer in zip(batch, answers, strict=True):
            request.answer = answer

    def _perform_all(self, connection: Connection, batch: list[_Request]) -> list[Answer | None]:
        if len(batch) == 1:
            # Alone there is nobody to protect from an error: the transaction itself is the savepoint.
            try:
                return [self._perform(connection, batch[0].call)]
            except Guarded as guarded:
                connection.run("ROLLBACK")
                connection.run("BEGIN")
                return [guarded.answer]
        return [self._perform_one(connection, request) for request in batch]

    def _perform_one(self, connection: Connection, request: _Request) -> Answer | None:
        answer: Answer | None = None
        connection.run("SAVEPOINT one")
        try:
            answer = self._perform(connection, request.call)
        except Guarded as guarded:
            connection.run("ROLLBACK TO one")
            answer = guarded.answer
        except Exception as error:  # its own caller's, whatever it is; the others go on
            if not connection.is_in_transaction:
                raise  # SQLite gave the whole transaction up (disk full, I/O error)
            connection.run("ROLLBACK TO one")
            request.error = error
        connection.run("RELEASE one")
        return answer

    def _undo(self, connection: Connection) -> None:
        if connection.is_in_transaction:
            connection.run("ROLLBACK")
