"""The operator's methods for when something is wrong: diagnose the store, compare it with the code, mute causes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass import clock
from windlass.admin import handles
from windlass.client.owner import ClientOwner
from windlass.client.session import ANY_JOB
from windlass.core.fault.mute import mute_length, mute_reason, muted_group
from windlass.core.units import duration, milliseconds
from windlass.errors import ConfigError, Duration, IllegalTransition, WindlassError
from windlass.insight import reads
from windlass.insight.redact import redacted_text
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import leases
from windlass.store.operations.diagnostics.consistency import Damage
from windlass.store.operations.diagnostics.consistency import repair as mend
from windlass.store.operations.diagnostics.mutes import MOST_MUTES, mute, mutes, unmute
from windlass.store.operations.limits.concurrency import mend_keys
from windlass.store.operations.queues import mend_counters
from windlass.store.operations.rescue import rescue
from windlass.store.operations.upkeep.tidy import FIRST_KEY, tidy_keys

if TYPE_CHECKING:
    from windlass.admin.alerts import Alerts
    from windlass.insight.diagnostics.code import CodeCheck
    from windlass.insight.diagnostics.consistency import Consistency
    from windlass.insight.diagnostics.finding import Diagnosis
    from windlass.insight.diagnostics.mutes import MuteView

_PAUSE = 0.1
"""Seconds between two looks for an answer."""
_TOKEN_BITS = 64
_BETWEEN_LOOKS = 1.0
"""Seconds between the two looks of a check: what moves is somewhere else by then."""


class DiagnosticsOperator(ClientOwner):
    """The part of ``Windlass`` that is asked when something is wrong. Nothing here changes a job."""

    @property
    def alerts(self) -> Alerts:
        """Alerts and their rules: list, acknowledge, resolve; add, edit, silence, delete."""
        return handles.Alerts(self)

    def diagnose(self, *, stuck_after: Duration = "1h") -> Diagnosis:
        """Everything that is wrong with the store and the processes around it, each with a remedy.

        A job counts as stuck that has run, or has been ready, for ``stuck_after``. A store that cannot be reached is a
        finding, not an exception.
        """
        length = milliseconds(stuck_after, "stuck_after")
        facts: dict[str, str] = {}
        try:
            facts = self.client.session.facts()
            return self.client.session.run(reads.diagnose(self.client, facts, stuck_after=length))
        except WindlassError as error:
            return reads.unreachable(error, facts)

    async def adiagnose(self, *, stuck_after: Duration = "1h") -> Diagnosis:
        """``diagnose`` for async code."""
        return await self.client.session.acall(lambda: self.diagnose(stuck_after=stuck_after))

    def check_code(self) -> CodeCheck:
        """Compare the jobs that wait with the tasks of this program: unknown tasks, arguments that no longer fit."""
        self.client.load_included()
        return self.client.session.run(reads.check_code(self.client))

    async def acheck_code(self) -> CodeCheck:
        """``check_code`` for async code."""
        self.client.load_included()
        return await self.client.session.arun(reads.check_code(self.client))

    def check(self, *, repair: bool = False) -> Consistency:
        """Walk through the store and compare what it holds with itself; a difference counts if a second look, a moment
        later, finds it too. Workers go on meanwhile.

        With ``repair`` sets right what is safe to set right: what was ended, cancelled or lost is never brought back.
        """
        encryption = self.client.encryption
        found, examined = self.client.session.run(reads.examine(encryption))
        if found:
            clock.sleep(_BETWEEN_LOOKS)
            found = self.client.session.run(reads.look_again(found, encryption))
        if not (found and repair):
            return reads.Consistency(found, examined)
        self.client.session.run(self._repair(found), notify=ANY_JOB)
        left = self.client.session.run(reads.look_again(found, encryption))
        return reads.Consistency(found, examined, frozenset(found) - frozenset(left))

    async def acheck(self, *, repair: bool = False) -> Consistency:
        """``check`` for async code."""
        return await self.client.session.acall(lambda: self.check(repair=repair))

    def _repair(self, found: Sequence[Damage]) -> Operation[None]:
        yield from mend(found)
        kinds = {one.kind for one in found}
        if "no_lease" in kinds:
            yield from rescue(by=self.client.actor, now=self.client.now)
        if "limit" in kinds:
            yield from mend_counters()
        if "key" in kinds:
            yield from mend_keys()
        if "stray_key" in kinds:
            after: str | None = FIRST_KEY
            while after is not None:
                after = yield from tidy_keys(after)

    def worker_stacks(self, worker: str, *, timeout: Duration = "30s") -> dict[str, str]:
        """Where the threads and coroutines of a live worker (its id or name) are, as text, by the worker's id.

        Asks through the store and waits for the answer, which takes about two seconds. Workers that have not answered
        in time are missing. ``IllegalTransition`` when the worker is lost; empty when there is none.
        """
        until = clock.monotonic() + duration(timeout, "timeout").total_seconds()
        token = f"{clock.random_bits(_TOKEN_BITS):x}"
        asked = self.client.session.run(_ask(worker, token), notify=(Topic.CONTROL,))
        answers: dict[str, str] = {}
        while len(answers) < len(asked) and clock.monotonic() < until:
            clock.sleep(_PAUSE)
            answers = self.client.session.run(_answers(token))
        return answers

    async def aworker_stacks(self, worker: str, *, timeout: Duration = "30s") -> dict[str, str]:
        """``worker_stacks`` for async code."""
        until = clock.monotonic() + duration(timeout, "timeout").total_seconds()
        token = f"{clock.random_bits(_TOKEN_BITS):x}"
        asked = await self.client.session.arun(_ask(worker, token), notify=(Topic.CONTROL,))
        answers: dict[str, str] = {}
        while len(answers) < len(asked) and clock.monotonic() < until:
            await clock.asleep(_PAUSE)
            answers = await self.client.session.arun(_answers(token))
        return answers

    def dead_mute(self, cause: str, *, reason: str, lasts: Duration = "1h", by: str = "api") -> MuteView:
        """Mute a group of failures: ``dead_groups`` has it at the end, and alerts on dead letters and error rates leave
        its failures out from then on. Its jobs fail and stay as before.

        It lasts ``lasts``, at most 90 days, or with "deploy" until workers are started anew; in the place of an earlier
        mute of the group. ``ConfigError`` where 200 are muted already.
        """
        return self.client.session.run(_mute(cause, reason, lasts, by), notify=(Topic.CONTROL,))

    async def adead_mute(self, cause: str, *, reason: str, lasts: Duration = "1h", by: str = "api") -> MuteView:
        """``dead_mute`` for async code."""
        return await self.client.session.arun(_mute(cause, reason, lasts, by), notify=(Topic.CONTROL,))

    def dead_unmute(self, cause: str) -> bool:
        """End the mute of a group; False when it is not muted."""
        return self.client.session.run(_unmute(cause), notify=(Topic.CONTROL,))

    async def adead_unmute(self, cause: str) -> bool:
        """``dead_unmute`` for async code."""
        return await self.client.session.arun(_unmute(cause), notify=(Topic.CONTROL,))

    def dead_mutes(self) -> list[MuteView]:
        """The groups of failures that are muted, the oldest mute first."""
        return self.client.session.run(reads.mute_views())

    async def adead_mutes(self) -> list[MuteView]:
        """``dead_mutes`` for async code."""
        return await self.client.session.arun(reads.mute_views())


def _mute(cause: str, reason: str, lasts: Duration, by: str) -> Operation[MuteView]:
    group, length, why = muted_group(cause), mute_length(lasts), redacted_text(mute_reason(reason))
    yield from mutes()  # read only: who mutes what has failed means a store that is there
    saved = yield from mute(group, lasts=length, reason=why, by=by)
    if saved is None:
        raise ConfigError(f"{MOST_MUTES} groups are muted, and no more can be; unmute some")
    return reads.mute_view(saved)


def _unmute(cause: str) -> Operation[bool]:
    group = muted_group(cause)
    if group not in {each.cause for each in (yield from mutes())}:  # read only: a look must not make a store
        return False
    return bool((yield from unmute([group])))


def _ask(worker: str, token: str) -> Operation[list[str]]:
    """Ask those that live; their ids. ``IllegalTransition`` when there is none."""
    found = [one for one in (yield from leases.workers()) if worker in (one.id, one.name)]
    if found and not any(one.is_alive for one in found):
        raise IllegalTransition(f"worker {worker} is lost, so it cannot say where its threads are")
    if not found:
        return []
    return (yield from leases.ask_stacks(worker, token=token))


def _answers(token: str) -> Operation[dict[str, str]]:
    """The answers so far, by the worker's id."""
    views = yield from reads.worker_views()
    said = {view.id: view.info.get("stacks") for view in views}
    # What a worker says of itself is data of the store, and may be damaged.
    return {id: str(one.get("text")) for id, one in said.items() if isinstance(one, dict) and one.get("asked") == token}
