"""A store and its model, driven together and compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from hypothesis.stateful import RuleBasedStateMachine, invariant
from msgspec.structs import replace

from tests.manual_clock import manual_clock
from tests.model.invariants import Invariants
from tests.model.model import Model
from tests.model.store_adapter import Mirror
from tests.model.tally import Tally
from windlass.core.codec.stored_text.seal import unseal
from windlass.core.codec.types.parent_failed import FAILED_TAG
from windlass.core.fault import read_faults
from windlass.core.records import Claimed, JobRecord
from windlass.core.state import FINISHED
from windlass.errors import ConfigError, IdConflict, JobNotFound, QueueFull
from windlass.store.driver import Driver
from windlass.store.operations.cycle import CycleResult
from windlass.store.operations.schedules.records import ScheduleRecord
from windlass.store.operations.steps.sent_events import SentEvent
from windlass.store.operations.steps.steps import StepRecord
from windlass.testing import ManualClock

_MESSAGE = re.compile(r',"message":("[^"]*"|null)')


class Asked(NamedTuple):
    """A call that may have to be made again."""

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]


class SideBySide(RuleBasedStateMachine):
    """Does everything to both and compares: each answer, and after each step all that is visible."""

    tally: ClassVar[Tally]
    open_store: ClassVar[Callable[[ManualClock], AbstractContextManager[Driver]]]
    """Opens a store without any jobs, on the given clock."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = manual_clock()
        self._opened = ExitStack()
        self.mirror = Mirror(self._opened.enter_context(type(self).open_store(self.clock)), now=self.clock)
        self.model = Model(now=self.clock)
        self.last: Asked | None = None
        self._invariants = Invariants()
        self._has_begun = False
        self._lengths: dict[int, int] = {}
        self._schedules: dict[str, ScheduleRecord] = {}
        self._steps: dict[int, dict[str, StepRecord]] = {}
        self._sent: dict[str, SentEvent] = {}

    def teardown(self) -> None:
        self._opened.close()

    def do(self, name: str, *args: Any, **options: Any) -> Any:
        """Do one thing to both; the answer that they agree on, or the type of the error."""
        self.last = Asked(name, args, options)
        with self.counted():
            expected = _outcome(getattr(self.model, name), args, options)
            answer = _outcome(getattr(self.mirror, name), args, options)
            if name == "promote":
                self._decide()
            _agree(_plain(answer), _plain(expected), f"{name}{args}{options}")
        return expected

    def _decide(self) -> None:
        """Of a child that is too late and that a parent takes along, the store says why it was cancelled: it settles
        edges, and ends what is late, in an order of its own.
        """
        tied = {seq for seq, job in self.model.jobs.items() if job.reason in _TIES and job.start_by is not None}
        for record in self.mirror.records() if tied else ():
            if record.seq in tied and record.reason in _TIES:
                told = {"reason": record.reason, "finished_at": record.finished_at}
                self.model.jobs[record.seq] = replace(self.model.jobs[record.seq], **told)

    def look(self, name: str, *args: Any, **options: Any) -> None:
        """Compare what both say to a question that changes nothing."""
        last = self.last
        self.do(name, *args, **options)
        self.last = last

    @invariant()
    def all_that_is_visible_agrees(self) -> None:
        if not self._has_begun:  # Hypothesis asks once before the first step
            self._has_begun = True
            return
        with self.counted():
            self._invariants.check(self.model)
            # Pages cost more than a look at known ids; what has no known id shows in the counts.
            records = self.mirror.pages() if self.tally.steps % 5 == 0 else self.mirror.records()
            _agree(_plain(records), _plain(list(self.model.jobs.values())), "the jobs")
            _agree(self.mirror.counts(), self.model.counts(), "the counts")
            self._compare_what_is_ahead()
            if self.model.running_limits:
                _agree(self.mirror.wrong_counters(), [], "the counters of running jobs")
            if self.model.schedules != self._schedules:
                self._compare_schedules()
            if self.model.steps != self._steps or self.model.sent != self._sent:
                self._compare_steps()
            for seq in self._seqs_to_look_at():
                _agree(self.mirror.events(seq), self.model.events[seq], f"the events of job {seq}")
        self.tally.step()

    def _compare_what_is_ahead(self) -> None:
        """A store may look at the waits of jobs that run more often than need be."""
        ahead, expected = self.mirror.upcoming(), self.model.upcoming()
        if ahead.has_events and self.model.has_waits_of_runs:
            expected = replace(expected, has_events=True)
        _agree(ahead, expected, "what is ahead")

    def _compare_schedules(self) -> None:
        """Those that have changed, with their ledgers."""
        _agree(self.mirror.all_schedules(), self.model.all_schedules(), "the schedules")
        for name, record in self.model.schedules.items():
            if self._schedules.get(name) != record:
                _agree(self.mirror.ledger(name), self.model.ledger(name), f"the ledger of {name}")
        self._schedules = dict(self.model.schedules)

    def _compare_steps(self) -> None:
        """Those of jobs that have recorded something, and the events that are kept."""
        _agree(self.mirror.sent_events(), self.model.sent_events(), "the events that were sent")
        for seq, steps in self.model.steps.items():
            if self._steps.get(seq) != steps:
                _agree(self.mirror.steps_of(seq), self.model.steps_of(seq), f"the steps of job {seq}")
        self._steps = {seq: dict(steps) for seq, steps in self.model.steps.items()}
        self._sent = dict(self.model.sent)

    def _seqs_to_look_at(self) -> list[int]:
        """The jobs with new events, and one of all: each job's events take a call of their own."""
        lengths = {seq: len(self.model.events[seq]) for seq in self.model.jobs}
        changed = [seq for seq, length in lengths.items() if self._lengths.get(seq, 0) != length]
        self._lengths = lengths
        return changed + list(lengths)[self.tally.steps % (len(lengths) or 1) :][:1]

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Whatever is raised in here ends the count of steps."""
        try:
            yield
        except BaseException:
            self.tally.fail()
            raise


_TIES = ("dependency", "expired")


def _outcome(operation: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    try:
        return operation(*args, **options)
    except (ConfigError, IdConflict, JobNotFound, QueueFull) as error:
        return type(error)


def _agree(answer: Any, expected: Any, what: str) -> None:
    if isinstance(answer, list) and isinstance(expected, list) and len(answer) == len(expected):
        pairs = [pair for pair in zip(answer, expected, strict=True) if pair[0] != pair[1]]
        answer, expected = [one for one, _ in pairs], [other for _, other in pairs]
    assert answer == expected, f"{what}:\nthe store says {answer}\nthe model says {expected}"


def _plain(answer: Any) -> Any:
    """An answer without what each store may choose freely: names of leases by hand, the wording of faults."""
    match answer:
        case list():
            return [_plain(one) for one in answer]
        case CycleResult():
            sets = {"refused": set(answer.refused), "marked": set(answer.marked)}
            return replace(
                answer, claimed=_plain(answer.claimed), limits=list(answer.limits), rates=list(answer.rates), **sets
            )
        case JobRecord() if answer.lease or answer.errors or answer.state in FINISHED:
            lease = answer.lease and answer.lease.split(":")[0]
            if answer.state in FINISHED:
                # What a run had asked for that was cancelled instead: nothing is due for it, and nobody looks for it.
                answer = replace(answer, run_at=0, unknown_at=None)
            if answer.reason == "dependency":
                # It is cancelled when its parent ends, or by promote; PostgreSQL takes the time of the server for it.
                answer = replace(answer, finished_at=0)
            return replace(answer, lease=lease, errors=_faults(answer.errors), cause=answer.cause and "by its wording")
        case Claimed():
            return replace(answer, errors=_faults(answer.errors), payload=_call(answer.payload))
        case _:
            return answer


def _call(payload: str) -> str:
    """A call without the words of the faults in it."""
    return payload if FAILED_TAG not in payload else _MESSAGE.sub("", unseal(payload).decode())


@lru_cache(maxsize=10_000)
def _faults(history: str | None) -> str | None:
    """When, in which attempt and of which type the faults were."""
    if history is None:
        return None
    return str([(fault.at, fault.attempt, fault.type) for fault in read_faults(history).faults])
