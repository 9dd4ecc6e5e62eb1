"""Group commit: calls that wait for the same lock share one commit.

There is no writer thread. The thread that gets the turn commits for all: it carries out everything that is queued,
commits once, and hands the answers out. While one thread waits for the disk the next batch gathers, so a web server's
threads and a worker's pump share commits, and a lone caller pays for no hand-over.

A call that fails leaves nothing behind and spoils no other. That takes a savepoint for each call, and in a savepoint
SQLite copies every page before it is changed, which costs a job more than its rows. So the calls are run without
savepoints first; only if one of them must be undone is all undone, and run again with savepoints.

The committing thread may be struck by an exception from outside at any instruction: Ctrl-C, a signal handler that
raises, or one that another thread raises in it. Only its own call raises it. Calls that SQLite had committed by then
have their answers; all others are as if they had not been tried, and the threads that wait for them carry them out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from threading import Lock
from typing import TypeVar

from windlass import clock
from windlass.errors import WindlassError
from windlass.store.operation import Answer
from windlass.store.sqlite.file import DatabaseFile
from windlass.store.sqlite.libraries import Busy, Connection, Rows
from windlass.store.sqlite.statements import BoundCall, GuardHit
from windlass.threads.reentry import Reentry
from windlass.threads.wakeup import Wakeup

_SHARED = 64
"""The most calls that share a commit; more would make the first of them wait for too long."""

_SHARING = 0.02
"""Seconds for which a call that has time waits for a commit to share."""
_BUSY = 0.05
"""Seconds after a commit within which the next one is expected."""

T = TypeVar("T")


class _Request:
    """One caller's call, and what came of it."""

    __slots__ = ("answer", "call", "done", "error", "has_time", "is_committed")

    def __init__(self, call: BoundCall, *, has_time: bool = False, done: Wakeup | None = None) -> None:
        self.call = call
        self.has_time = has_time
        self.done = done
        """Set when it is done, for a caller that waits for the commit of another."""
        self.answer: Answer | None = None
        """Counts once it is committed: until then the call may have to be run again."""
        self.is_committed = False
        self.error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        return self.is_committed or self.error is not None


class CommitsSeen(Enum):
    """What a check for commits has found."""

    NOTHING = "nothing"
    OURS = "ours"
    """Commits of this connection, and of no other."""
    FOREIGN = "foreign"


class GroupCommit:
    """One writing connection, shared by threads."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self._turn = Lock()
        self._reentry = Reentry("Windlass")
        self._queued: deque[_Request] = deque()
        self._commit_sent: list[_Request] | None = None
        """The requests that share a commit, from before SQLite is asked for it until all of them are done."""
        self._has_undone = False
        """Whether a call of the last batch had to be undone; the next may have one too."""
        self._committed = float("-inf")
        """When calls were committed last for which callers wait, on the monotonic clock."""
        self._version = -1
        self._changes = 0
        self.connection: Connection | None = None

    def execute(self, call: BoundCall) -> Answer:
        """Carry out one call, alone or with others; returns after the commit."""
        return self._carried_out(_Request(call))

    def execute_with_next(self, call: BoundCall) -> Answer:
        """Carry out a call that has time with the next commit of another thread: it takes the file's lock, which other
        processes want too, and syncs the disk for both. Where no other thread has committed just now, or none does for
        a moment, it has a commit of its own.
        """
        is_busy = clock.monotonic() - self._committed < _BUSY
        return self._carried_out(_Request(call, has_time=True, done=Wakeup() if is_busy else None))

    def _carried_out(self, request: _Request) -> Answer:
        try:
            self._queued.append(request)
            if request.done is not None:
                clock.wait(request.done, _SHARING)
            if not request.is_done:
                with self._reentry, self._turn:
                    if not request.is_done:
                        self._commit_all(request)
        except BaseException:
            self._withdraw(request)
            raise
        if request.error is not None:
            raise request.error
        assert request.answer is not None
        return request.answer

    def run_alone(self, work: Callable[[Connection], T]) -> T:
        """Carry out something that is no call, such as a migration, in a transaction of its own."""
        with self._reentry, self._turn:
            self._recover()
            connection = self._open()
            try:
                self._file.begin(connection)
                result = work(connection)
                connection.run("COMMIT")
            except BaseException:
                self._recover()
                raise
            return result

    def look_for_commits(self) -> CommitsSeen:
        """What was committed since the last check. For a thread of our own.

        Nothing is found while a commit of our own is under way: the check must not hold it up, and the next one comes
        soon.
        """
        with self._reentry:
            if not self._turn.acquire(blocking=False):
                return CommitsSeen.NOTHING
            try:
                connection = self._open()
                version, changes = int(connection.run("PRAGMA data_version")[0][0]), connection.changes
                is_foreign, self._version = version != self._version, version
                is_ours, self._changes = changes != self._changes, changes
            finally:
                self._turn.release()
        if is_foreign:
            return CommitsSeen.FOREIGN
        return CommitsSeen.OURS if is_ours else CommitsSeen.NOTHING

    def peek(self, text: str) -> Rows | None:
        """The rows of a statement that only reads; None while a commit of our own is under way. On this connection it
        costs a third of what it does on another: a check for commits has just read what it needs.
        """
        with self._reentry:
            if not self._turn.acquire(blocking=False):
                return None
            try:
                return self._open().run(text)
            finally:
                self._turn.release()

    def close(self) -> None:
        with self._reentry, self._turn:
            self._recover()
            self._discard()

    def _open(self) -> Connection:
        if self.connection is None:
            self.connection = self._file.connect()
        return self.connection

    def _discard(self) -> None:
        connection, self.connection = self.connection, None
        self._version = -1  # the counter of the next connection begins again
        if connection is not None:
            connection.close()

    def _withdraw(self, request: _Request) -> None:
        """Withdraw a call whose caller gets an exception: it must not be carried out later, with the next call of
        another.
        """
        with suppress(ValueError):  # the committing thread has it, or had it
            self._queued.remove(request)

    def _commit_all(self, request: _Request) -> None:
        self._recover()
        while True:
            batch = [self._queued.popleft() for _ in range(min(len(self._queued), _SHARED))]
            is_last = len(batch) < _SHARED
            if is_last and request not in batch and not request.is_done:
                batch.append(request)  # a committing thread that was struck had taken it off the queue
            if batch:
                self._commit(batch)
            if is_last:
                return

    def _commit(self, batch: list[_Request]) -> None:
        try:
            connection = self._open()
            self._file.begin(connection)
            self._run_all(connection, batch)
            self._commit_sent = batch
            connection.commit()
            _note_commit(batch)
            self._commit_sent = None
            if not all(request.has_time for request in batch):
                self._committed = clock.monotonic()
        except (Busy, WindlassError) as error:  # nothing was committed: every caller gets the error
            self._recover()
            for request in batch:
                if not request.is_done:
                    request.error = error
                _wake(request)
        except BaseException:
            self._recover()
            raise

    def _run_all(self, connection: Connection, batch: list[_Request]) -> None:
        if len(batch) == 1:
            _run_lone(connection, batch[0])
        elif self._has_undone or not self._run_together(connection, batch):
            undone = [_run_apart(connection, request) for request in batch]
            self._has_undone = any(undone)

    def _run_together(self, connection: Connection, batch: list[_Request]) -> bool:
        """Whether all calls were carried out. If one must be undone, none was."""
        try:
            for request in batch:
                request.answer = request.call.run_on(connection)
        except (GuardHit, WindlassError):
            if connection.is_in_transaction:  # else SQLite gave it up itself (disk full, I/O error)
                connection.run("ROLLBACK")
            self._file.begin(connection)
            return False
        return True

    def _recover(self) -> None:
        """Find out whether a commit was made whose thread was interrupted, and end a transaction that is still open."""
        connection, sent = self.connection, self._commit_sent
        is_open = connection is not None and connection.is_in_transaction
        if connection is not None and sent is not None:
            if not is_open and not connection.has_refused_commit:
                _note_commit(sent)
            self._commit_sent = None
        if connection is not None and is_open:
            with suppress(Busy, WindlassError):
                connection.run("ROLLBACK")
            if connection.is_in_transaction:  # it would keep every other process from writing
                self._discard()


def _note_commit(batch: list[_Request]) -> None:
    """Their commit was carried out; may be called again when the first time was cut short."""
    for request in batch:
        request.is_committed = True
        _wake(request)


def _wake(request: _Request) -> None:
    if request.done is not None:
        request.done.set()


def _run_lone(connection: Connection, request: _Request) -> None:
    """There is no call to protect from an error: the transaction itself is the savepoint."""
    try:
        request.answer = request.call.run_on(connection)
    except GuardHit as guarded:
        connection.run("ROLLBACK")
        connection.run("BEGIN")
        request.answer = guarded.answer


def _run_apart(connection: Connection, request: _Request) -> bool:
    """Carry out a call so that an error of its own leaves the others alone; true if it was undone."""
    connection.run("SAVEPOINT one")
    is_undone = True
    try:
        request.answer = request.call.run_on(connection)
        is_undone = False
    except GuardHit as guarded:
        connection.run("ROLLBACK TO one")
        request.answer = guarded.answer
    except WindlassError as error:  # its own caller's; the others go on
        if not connection.is_in_transaction:
            raise  # SQLite gave the whole transaction up (disk full, I/O error)
        connection.run("ROLLBACK TO one")
        request.error = error
    connection.run("RELEASE one")
    return is_undone
