"""Runs store operations for sync and async callers, and notifies listeners of changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from windlass import clock
from windlass.active_job import deliver_interrupt
from windlass.errors import AppClosed, ReentrantCall, StartRefused, WindlassError
from windlass.forks import reset_in_child
from windlass.store.caller.joined import Joined
from windlass.store.driver import Driver, News, Topic
from windlass.store.operation import Answer, Call, Operation, drive
from windlass.threads.reentry import Reentry

if TYPE_CHECKING:
    from concurrent.futures import Future

    from windlass.client.handover import Handover
    from windlass.threads.store_threads import StoreThreads

log = logging.getLogger("windlass")
_calls = logging.getLogger("windlass.store.calls")
"""Every call with its time, at DEBUG."""

_LISTEN_AGAIN = 1.0

ANY_JOB = (Topic.WORK, Topic.FINISHED)
"""What to notify of after a change that may be about any job that waits or has ended."""

A = TypeVar("A")


class Listener(Struct, frozen=True, eq=False):
    """What is called on news from this process, and on news from others."""

    wake: Callable[[], None] | None
    elsewhere: Callable[[str | None], None] | None


class Session:
    """Drives operations on a driver.

    Our own connections are used from store threads only: the async form waits for a thread-safe future, so it works
    on any event loop.
    """

    def __init__(self, driver: Driver, *, namespace: str) -> None:
        self._driver = driver
        self.namespace = namespace
        self._listeners = _no_listeners()
        self._followers: list[Callable[[], None]] = []
        self._lock = Lock()
        self._reentry, self._changing = Reentry("Windlass"), Reentry("Windlass")
        """Around store calls, and around what takes the lock."""
        self._news: News | None = None
        self._listen_again = 0.0
        """When to try again to listen, on the monotonic clock; 0 unless that was refused."""
        self._threads: StoreThreads | None = None
        self._handovers: set[Handover] = set()
        self._is_closed = False
        self._closed_because = "the app is closed; make a new Windlass(...)"
        reset_in_child(self, Session.reset_after_fork)

    @property
    def store_name(self) -> str:
        return self._driver.name

    @property
    def cycle_limit(self) -> int:
        return self._driver.cycle_limit

    @property
    def smallest_cycle(self) -> int:
        return self._driver.smallest_cycle

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def join(self, connection: object) -> Joined:
        """The caller's own transaction, as a place to run operations in."""
        if self._is_closed:
            raise AppClosed(self._closed_because)
        return self._driver.join(connection)

    def run(self, operation: Operation[A], *, notify: Collection[Topic] = ()) -> A:
        """Run an operation on the calling thread; ``notify`` says what a caller of the app has changed by it."""
        answer = self._run(operation, self._execute)
        if notify:
            self._notify_changed(notify)
        deliver_interrupt()
        return answer

    def store(self, operation: Operation[A]) -> A:
        """Run an operation that stores jobs for a caller of the app, and notify all listeners of them."""
        stored = self._run(operation, self._store)
        self._notify_stored()
        deliver_interrupt()
        return stored

    async def arun(self, operation: Operation[A], *, notify: Collection[Topic] = ()) -> A:
        """``run`` on a store thread while the loop goes on."""
        answer = await self.acall(lambda: self.run(operation))
        if notify:
            self._notify_changed(notify)
        return answer

    def upkeep(self, operation: Operation[A], *, notify: Collection[Topic] = ()) -> A:
        """``run`` for an operation of upkeep, which reads first; where there is no store it makes one."""
        self._driver.make()
        return self.run(operation, notify=notify)

    async def aupkeep(self, operation: Operation[A], *, notify: Collection[Topic] = ()) -> A:
        """``upkeep`` while the loop goes on."""
        answer = await self.acall(lambda: self.upkeep(operation))
        if notify:
            self._notify_changed(notify)
        return answer

    async def astore(self, operation: Operation[A]) -> A:
        """``store`` while the loop goes on."""
        stored = await self.acall(lambda: self._run(operation, self._store))
        self._notify_stored()
        return stored

    async def arun_or_undo(self, operation: Operation[A], undo: Callable[[A], Operation[object]]) -> A:
        """``arun`` for an operation that is undone when its caller is cancelled and never gets the result."""
        import asyncio

        from windlass.client.handover import Handover

        future = self._submit(lambda: self.run(operation))
        handover = Handover(future, partial(self._undo, undo))
        self._handovers.add(handover)
        try:
            answer = await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            with suppress(AppClosed, StartRefused):  # closing undoes it then
                self._undo_later(handover)
                self._handovers.discard(handover)
            raise
        except BaseException:
            self._handovers.discard(handover)
            raise
        self._handovers.discard(handover)
        return answer

    def run_later(self, operation: Operation[object]) -> None:
        """Run an operation on a store thread and wait for nothing; what goes wrong is logged."""

        def run() -> None:
            try:
                drive(operation, self._execute)
            except WindlassError as error:
                log.warning("%s", error)

        with suppress(AppClosed, StartRefused, ReentrantCall):
            self._submit(run)

    def _undo_later(self, handover: Handover) -> None:
        if handover.future.done():
            self._submit(handover.undo)  # the loop must not wait
        else:
            handover.future.add_done_callback(lambda _: handover.undo())  # on the store thread that makes the call

    def _undo(self, undo: Callable[[A], Operation[object]], answer: A) -> None:
        """Undo a call whose caller was cancelled; also while the app is being closed."""
        try:
            drive(undo(answer), self._execute)
        except WindlassError as error:
            log.warning("what a cancelled call has taken could not be given back: %s", error)

    async def acall(self, call: Callable[[], A]) -> A:
        """Make a call on a store thread while the loop goes on."""
        import asyncio  # a sixth of our start-up, for sync programs in vain

        return await asyncio.wrap_future(self._submit(call))

    def exists(self) -> bool:
        """Whether there is a store already, without making one."""
        return self._driver.exists()

    def migrate(self) -> list[str]:
        """Bring the store's schema up to date; the steps taken."""
        return self._driver.migrate()

    def facts(self) -> dict[str, str]:
        """What a diagnosis has to know of the store."""
        return self._driver.facts()

    def migration_sql(self) -> str:
        """The SQL that would bring the store's schema up to date."""
        return self._driver.migration_sql()

    def notify(self, *topics: Topic) -> None:
        """Notify listeners, in this process and in others."""
        with self._reentry:
            for topic in topics:
                self._wake_listeners(topic)
                self._driver.notify(topic)

    def subscribe(
        self, wake: Callable[[], None], topic: Topic, *, elsewhere: Callable[[str | None], None] | None = None
    ) -> Callable[[], None]:
        """Have ``wake`` called on news from this process and, soon after, from others; returns how to stop that.

        ``elsewhere`` is called instead on news from others, with the queue that jobs were added to where it is known.
        """
        return self._subscribe(Listener(wake, elsewhere or (lambda queue: wake())), topic)

    def subscribe_here(self, wake: Callable[[], None], topic: Topic) -> Callable[[], None]:
        """``subscribe`` to news from this process alone."""
        return self._subscribe(Listener(wake, None), topic)

    def subscribe_elsewhere(self, wake: Callable[[str | None], None], topic: Topic) -> Callable[[], None]:
        """``subscribe`` to news from other processes alone."""
        return self._subscribe(Listener(None, wake), topic)

    def _subscribe(self, listener: Listener, topic: Topic) -> Callable[[], None]:
        with self._changing, self._lock:
            if listener.elsewhere is not None:
                self._listen({*self._topics, topic})
            self._listeners[topic].append(listener)

        def unsubscribe() -> None:
            with self._changing, self._lock:
                if listener in self._listeners[topic]:
                    self._listeners[topic].remove(listener)
                last = self._listen_less()
            if last is not None:
                last.close()

        return unsubscribe

    def hears(self, *topics: Topic) -> bool:
        """Whether notifications of other processes on these topics arrive now; if not, listeners have to poll."""
        news = self._news
        return news is not None and all(map(news.hears, topics))

    def listen_again(self) -> None:
        """Try again to subscribe, where the system refused the thread or the files for that; called now and then."""
        if self._news is None and any(self._listeners.values()) and not self._is_closed:
            with self._changing, self._lock:
                if self._topics and not self._is_closed:
                    self._listen(self._topics)

    def follow(self, react: Callable[[], None]) -> Callable[[], None]:
        """Have ``react`` called after each change by a caller of the app, on that caller's thread; how to stop that."""
        self._followers.append(react)
        return lambda: self._followers.remove(react)

    def refuse_reentry(self) -> None:
        """Raise ``ReentrantCall`` in the middle of a call of the same thread: closing would wait for it."""
        with self._reentry:
            pass

    def close(self) -> None:
        """Let go of the store; waits for calls under way."""
        self.stop()
        self._driver.close()

    def stop(self, because: str | None = None) -> None:
        """Take no more calls, because of ``because``; waits for calls under way. The driver stays open."""
        with self._changing, self._lock:
            self._is_closed = True
            self._closed_because = because or self._closed_because
            news, self._news = self._news, None
            threads, self._threads = self._threads, None
        if news is not None:
            news.close()
        if threads is not None:
            threads.shutdown(wait=True)
        for handover in tuple(self._handovers):
            if handover.is_cancelled:  # its caller has not heard of that yet, or found the app closed
                handover.undo()

    def reset_after_fork(self) -> None:
        """Forget the parent's threads, locks and listeners; called in a forked child."""
        self._lock = Lock()
        self._listeners = _no_listeners()
        self._handovers = set()
        self._news = self._threads = None

    def _run(self, operation: Operation[A], execute: Callable[[Call], Answer]) -> A:
        if self._is_closed:
            operation.close()
            raise AppClosed(self._closed_because)
        return drive(operation, execute)

    def _execute(self, call: Call) -> Answer:
        if _calls.isEnabledFor(logging.DEBUG):
            return self._execute_logged(call, self._driver.execute)
        with self._reentry:
            return self._driver.execute(call)

    def _store(self, call: Call) -> Answer:
        if _calls.isEnabledFor(logging.DEBUG):
            return self._execute_logged(call, self._driver.store)
        with self._reentry:
            return self._driver.store(call)

    def _execute_logged(self, call: Call, carry_out: Callable[[Call], Answer]) -> Answer:
        """Carry out a call, and log its name and its time, but none of its values."""
        began, failed = clock.monotonic(), True
        try:
            with self._reentry:
                answer = carry_out(call)
            failed = False
            return answer
        finally:
            seconds = clock.monotonic() - began
            fields = {"event": "store_call", "call": call.name, "seconds": seconds}
            _calls.debug("%s took %.1f ms%s", call.name, seconds * 1000, " and failed" * failed, extra=fields)

    def _notify_changed(self, topics: Collection[Topic]) -> None:
        self.notify(*topics)
        self._run_followers()

    def _notify_stored(self) -> None:
        """Notify this process of jobs that were just stored; the store notifies the others."""
        with self._reentry:
            self._wake_listeners(Topic.WORK)
        self._run_followers()

    def _run_followers(self) -> None:
        for react in tuple(self._followers):
            react()

    def _wake_listeners(self, topic: Topic) -> None:
        for listener in tuple(self._listeners[topic]):
            if listener.wake is not None:
                listener.wake()

    def _hear_elsewhere(self, topic: Topic, queue: str | None = None) -> None:
        for listener in tuple(self._listeners[topic]):
            if listener.elsewhere is not None:
                listener.elsewhere(queue)

    @property
    def _topics(self) -> set[Topic]:
        """The topics of whose news from other processes there are listeners: others need not come."""
        return {
            topic
            for topic, listeners in self._listeners.items()
            if any(listener.elsewhere is not None for listener in listeners)
        }

    def _listen(self, topics: set[Topic]) -> None:
        """Subscribe to notifications of other processes. Where the system refuses the thread or the files for that,
        listeners find changes a little later, by polling.
        """
        if self._news is not None:
            if topics != self._topics:
                self._news.follow(topics)
            return
        now = clock.monotonic()
        if now < self._listen_again:
            return
        try:
            self._news = self._driver.listen(
                self._hear_elsewhere, filled=lambda queue: self._hear_elsewhere(Topic.WORK, queue), topics=topics
            )
        except (StartRefused, OSError) as error:
            if not self._listen_again:
                log.warning("no news of other processes, which are looked for every second instead: %s", error)
            self._listen_again = now + _LISTEN_AGAIN
        else:
            self._listen_again = 0.0

    def _listen_less(self) -> News | None:
        """Unsubscribe from topics without a listener; gives the ``News`` to be closed where no topic has one."""
        if self._news is None:
            return None
        topics = self._topics
        if topics:
            self._news.follow(topics)
            return None
        last, self._news = self._news, None
        return last

    def _submit(self, call: Callable[[], A]) -> Future[A]:
        """Have a store thread make a call; ``StartRefused`` when there is none and the system gives none."""
        from windlass.threads.store_threads import StoreThreads

        with self._changing, self._lock:
            if self._is_closed:
                raise AppClosed(self._closed_because)
            if self._threads is None:
                self._threads = StoreThreads()
            try:
                return self._threads.submit(call)
            except StartRefused:
                # Without a thread nothing in it will ever run, and what could not be begun must not run later.
                self._threads = None
                raise


def _no_listeners() -> dict[Topic, list[Listener]]:
    return {topic: [] for topic in Topic}
