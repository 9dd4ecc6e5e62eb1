"""The handle of one named limit: a budget of tokens that all processes share."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from windlass import clock
from windlass.active_job import current_job, running, wait_in_run
from windlass.client.owner import ClientOwner
from windlass.client.result_waiter import refuse_on_loop_thread
from windlass.client.session import Session
from windlass.core import validate
from windlass.core.rates.rate import Rate, read_burst, read_rate
from windlass.core.units import duration
from windlass.errors import ConfigError, Duration, IllegalTransition, LimitTimeout, OutcomeUnknown, Snooze
from windlass.insight import reads
from windlass.options import UNSET
from windlass.options.queues import since_milliseconds
from windlass.store.operation import Operation
from windlass.store.operations.rates import limits
from windlass.store.operations.rates.cooldowns import Scope, end_cooldown
from windlass.store.operations.rates.limits import LimitSeed, TakeResult

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.insight.limits.limits import LimitView

_LOOK_AGAIN = 2.0
"""Seconds until a caller looks again whether its turn comes sooner: an operator may have raised the rate."""
_EACH_AHEAD = 0.02
"""Seconds more for each caller that comes first, so that a long line of callers asks the store at most 50 times a
second.
"""
_SOON = 0.5
"""Seconds for which a run waits that would snooze: to give its slot back would take about as long, and by its turn
others may have filled all slots, to wait in line behind it.
"""


class Limit:
    """A named limit: ``acquire`` before each call of a service, here and in all other processes.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> github = app.limit("github", rate="5000/h", burst=100)
    >>> github.acquire()
    >>> github.try_acquire(), github.status().tokens
    (True, 98)
    >>> github.drain()
    >>> github.try_acquire()
    False
    >>> app.close()
    """

    def __init__(self, app: ClientOwner, name: str) -> None:
        self._app = app
        self.name = name

    def __repr__(self) -> str:
        return f"<Limit {self.name}>"

    @property
    def _client(self) -> Client:
        """That of the app at this moment: a handle that was made before a test block acts in the block."""
        return self._app.client

    @property
    def _session(self) -> Session:
        return self._client.session

    def try_acquire(self) -> bool:
        """Take a token if there is one now and no caller waits for it; whether it was taken."""
        return self._session.run(self._take(None)).is_taken

    async def atry_acquire(self) -> bool:
        """``try_acquire`` for async code."""
        return (await self._session.arun(self._take(None))).is_taken

    def acquire(self, timeout: Duration | None = None, *, snooze: bool = False) -> None:
        """Take a token, and wait for it in line; ``LimitTimeout`` as soon as it is known that none comes in time.

        With ``snooze`` a task waits for half a second at the most. Then the run ends, and the job runs again from its
        beginning when its token is due; no attempt is charged. So that belongs on the first line of a task.

        A run that is cancelled, or has to stop, stops waiting. A caller that gives up keeps nothing.
        """
        refuse_on_loop_thread("limit.acquire()", "limit.aacquire()")
        waiting: _Snoozing | _Waiting = _Snoozing(self.name) if snooze else _Waiting(self.name, timeout)
        try:
            while (pause := waiting.pause_after(self._asked(waiting.id))) is not None:
                wait_in_run(pause)
        except Snooze:
            raise  # its place is kept for it
        except BaseException:
            self._session.run_later(limits.leave(self.name, waiter=waiting.id))
            raise

    async def aacquire(self, timeout: Duration | None = None, *, snooze: bool = False) -> None:
        """``acquire`` for async code."""
        waiting: _Snoozing | _Waiting = _Snoozing(self.name) if snooze else _Waiting(self.name, timeout)
        try:
            while (pause := waiting.pause_after(await self._aasked(waiting.id))) is not None:
                await clock.asleep(pause)
        except Snooze:
            raise  # its place is kept for it
        except BaseException:
            self._session.run_later(limits.leave(self.name, waiter=waiting.id))
            raise

    def drain(self) -> None:
        """Empty the bucket: the service said "too many" although tokens were left."""
        self._session.run(self._drain())

    async def adrain(self) -> None:
        """``drain`` for async code."""
        await self._session.arun(self._drain())

    def configure(
        self, *, rate: str = UNSET, burst: int = UNSET, by: str = "api", unchanged_since: datetime | None = UNSET
    ) -> None:
        """Set what is named, for all processes and while they run; it outlives what the code declares.

        With ``unchanged_since``, the ``changed_at`` of a status that was read, it is ``IllegalTransition`` when an
        operator has changed it since, and nothing happens.
        """
        self._session.run(self._change(rate, burst, by, unchanged_since))

    async def aconfigure(
        self, *, rate: str = UNSET, burst: int = UNSET, by: str = "api", unchanged_since: datetime | None = UNSET
    ) -> None:
        """``configure`` for async code."""
        await self._session.arun(self._change(rate, burst, by, unchanged_since))

    def resume(self) -> None:
        """End a cool-down (see ``Throttled``)."""
        self._session.run(self._resume())

    async def aresume(self) -> None:
        """``resume`` for async code."""
        await self._session.arun(self._resume())

    def status(self) -> LimitView:
        """Its rate, its tokens, how many callers wait, whether it cools down."""
        return self._session.run(self._status())

    async def astatus(self) -> LimitView:
        """``status`` for async code."""
        return await self._session.arun(self._status())

    def delete(self) -> None:
        """Remove it; where the code declares it, its next use sets it up again as the code says.

        Callers that wait for a token of a limit that no code declares get a ``ConfigError``.
        """
        self._session.run(self._remove())

    async def adelete(self) -> None:
        """``delete`` for async code."""
        await self._session.arun(self._remove())

    def _asked(self, waiter: str) -> TakeResult | None:
        """What the store answers; None without a reply, and then a token may have been spent."""
        try:
            return self._session.run(self._take(waiter))
        except OutcomeUnknown:
            return None

    async def _aasked(self, waiter: str) -> TakeResult | None:
        try:
            return await self._session.arun_or_undo(
                self._take(waiter), lambda asked: limits.leave(self.name, waiter=waiter)
            )
        except OutcomeUnknown:
            return None

    def _take(self, waiter: str | None) -> Operation[TakeResult]:
        return self._in_store(lambda: limits.take(self.name, waiter=waiter))

    def _in_store(self, ask: Callable[[], Operation[TakeResult | None]]) -> Operation[TakeResult]:
        """Ask; where the limit is not there yet, set it up first as the code says."""
        yield from self._client.declared_limits.store(self.name)
        found = yield from ask()
        if found is None and (yield from self._client.declared_limits.store(self.name, is_gone=True)):
            found = yield from ask()
        if found is None:
            raise ConfigError(_not_set_up(self.name))
        return found

    def _drain(self) -> Operation[None]:
        yield from self._client.declared_limits.store(self.name)
        if not (yield from limits.drain(self.name)):
            raise ConfigError(_not_set_up(self.name))

    def _change(self, rate: str, burst: int, by: str, unchanged_since: datetime | None) -> Operation[None]:
        name = f"limit {self.name!r}: rate"
        read = None if rate is UNSET else read_rate(rate, name=name)
        most = None if burst is UNSET else read_burst(burst)
        if read is None and most is None:
            raise ConfigError(f"limit {self.name!r}: nothing to change: give rate=, burst= or both")
        yield from self._client.declared_limits.store(self.name)
        seen = since_milliseconds(unchanged_since)
        if (yield from limits.change(self.name, rate=read, burst=most, by=by, seen=seen)):
            return
        if seen is not None and (yield from reads.limit_views(self.name)):
            raise IllegalTransition(f"limit {self.name!r} was changed meanwhile; read it again")
        raise ConfigError(_not_set_up(self.name))

    def _status(self) -> Operation[LimitView]:
        found = yield from reads.limit_views(self.name)
        if found:
            return found[0]
        if (yield from self._client.declared_limits.store(self.name, is_gone=True)):
            return (yield from reads.limit_views(self.name))[0]
        raise ConfigError(_not_set_up(self.name))

    def _resume(self) -> Operation[None]:
        yield from limits.limits(self.name)  # read only: what ends something means a store that is there
        yield from end_cooldown(Scope.LIMIT, self.name)

    def _remove(self) -> Operation[None]:
        yield from limits.limits(self.name)
        yield from limits.remove(self.name)


class DeclaredLimits:
    """The limits that the code of this process declares, and which of them the store was told of."""

    def __init__(self, rates: MutableMapping[str, Rate]) -> None:
        self._rates = rates
        self._stored: set[str] = set()

    def add(self, name: str, rate: Rate) -> None:
        """Declare one; ``ConfigError`` where it is declared already, in another way."""
        known = self._rates.setdefault(name, rate)
        if known != rate:
            raise ConfigError(
                f"limit {name!r} is declared twice: with {known} (burst {known.burst}) and {rate} (burst {rate.burst})"
            )

    def store(self, name: str, *, is_gone: bool = False) -> Operation[bool]:
        """Store a limit, unless that was done already (with ``is_gone`` again, because the store has lost it); whether
        the code declares it.
        """
        if name not in self._rates:
            return False
        if is_gone or name not in self._stored:
            yield from limits.ensure([self._seed(name)])
            self._stored.add(name)
        return True

    def store_all(self) -> Operation[None]:
        """Tell the store of all limits that are declared."""
        names = list(self._rates)
        if names:
            yield from limits.ensure([self._seed(name) for name in names])
            self._stored.update(names)

    def _seed(self, name: str) -> LimitSeed:
        rate = self._rates[name]
        return LimitSeed(name, rate.amount, rate.period, rate.burst)


class _Waiting:
    """One caller that waits in line, and until when it does."""

    def __init__(self, name: str, timeout: Duration | None) -> None:
        self._name = name
        self._limit = None if timeout is None else duration(timeout, "timeout").total_seconds()
        self._began = clock.monotonic()
        self.id = f"{clock.random_bits(96):024x}"

    def pause_after(self, asked: TakeResult | None) -> float | None:
        """For how many seconds to wait before the next try; None when a token was taken.

        Raises ``LimitTimeout`` when the turn comes too late.
        """
        if asked is None:
            return 0.0
        if asked.is_taken:
            return None
        due = asked.due_in / 1000
        left = None if self._limit is None else self._limit - (clock.monotonic() - self._began)
        if left is not None and due > left:
            raise LimitTimeout(f"limit {self._name!r}: no token within {self._limit:g} s; the next is due in {due:g} s")
        # With jitter, so that many that wait do not come in step.
        return min(due, (_LOOK_AGAIN + asked.ahead * _EACH_AHEAD) * (0.75 + clock.roll() / 4))


class _Snoozing:
    """A run that gives its slot back, unless its turn comes soon. The place in line is that of its job."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._until = clock.monotonic() + _SOON
        self.id = _job_id()

    def pause_after(self, asked: TakeResult | None) -> float | None:
        """As with ``_Waiting``; raises ``Snooze`` when the turn does not come soon."""
        if asked is None:
            return 0.0
        if asked.is_taken:
            return None
        due = asked.due_in / 1000
        if clock.monotonic() + due <= self._until:
            return due
        snooze = Snooze(timedelta(seconds=due))
        snooze.limit = self._name
        raise snooze


def _job_id() -> str:
    """The place in line of a job that snoozes is its own."""
    if running.get() is None:
        raise ConfigError("acquire(snooze=True) works only inside a task; leave snooze out to wait here")
    return f"job:{current_job().id}"


def _not_set_up(name: str) -> str:
    return (
        f"limit {name!r} is not set up; declare it with app.limit({name!r}, rate='30/min'), or set it with "
        f"`windlass limits set {name} --rate 30/min`"
    )


def limit_of(app: ClientOwner, name: str) -> Limit:
    """The handle of a limit of that name, or ``ConfigError``."""
    return Limit(app, validate.limit_name(name))
