"""Runs that record steps, sleep and wait for events, and those who send them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule
from msgspec.structs import replace

from tests.manual_clock import move
from tests.model import samples as m
from tests.model.rules.actors import ended
from tests.model.rules.owners import Owners
from tests.model.rules.turns import Turns
from tests.model.samples import HOUR, LEASE
from tests.model.side_by_side import Asked
from windlass.core.outcome import Postponed
from windlass.core.records import Claimed
from windlass.store.operations.steps.sent_events import Wait, WaitOutcome
from windlass.store.operations.steps.steps import NewStep, StepKind

NAMES = ("charge", "ship", "mail")
EVENTS = ("approved", "paid")

names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)
events = st.sampled_from(EVENTS)
orders = st.sampled_from(["before", "between", "between", "after", "never"])
timeouts = st.sampled_from([None, 0, 1, LEASE, LEASE, 25 * HOUR])
lengths = st.sampled_from([0, 1, LEASE, HOUR])
losses = st.sampled_from([False, False, True])


class StepUsers(Owners, Turns):
    """Few names, so that a later run meets what an earlier one has recorded. Manual claims have no steps."""

    def __init__(self) -> None:
        super().__init__()
        self.over: set[tuple[int, int]] = set()
        """The runs that have ended, whether the store knows it or not: those record nothing more."""

    @rule(owner=m.workers, queue=m.queues, names=names, outcome=m.outcomes, is_lost=m.flags)
    def run_steps(self, owner: str, queue: str, names: list[str], outcome: str, is_lost: bool) -> None:
        """A run records its steps, and ends or is lost; the next one begins with what is recorded."""
        self.offer(queue)
        for claim in self.take(owner)[:2]:
            self.find_steps(claim)
            for name in names:
                self.record(claim, name)
            if not is_lost:
                self.finish([self.renewed(claim)], outcome, worker=owner)
        if is_lost:
            move(self.clock, LEASE)
            self.keep_up()
            for claim in self.take(owner):
                self.find_steps(claim)

    @rule(owner=m.workers, successor=m.workers, queue=m.queues, name=st.sampled_from(NAMES), event=events)
    def come_back_late(self, owner: str, successor: str, queue: str, name: str, event: str) -> None:
        """A run that was lost records a step, or waits, while the next one has the job."""
        self.offer(queue)
        lost = self.take(owner)
        move(self.clock, LEASE)
        self.keep_up()
        self.ask_next(queue)
        self.take(successor)
        for claim in lost:
            self.record(claim, name)
            self.await_event(claim, event, LEASE)

    def offer(self, queue: str) -> None:
        """Something to run: by chance alone there would be too seldom."""
        self.ask_next(queue)
        if not self.model.pending(queue):
            self.store([self.new(queue)], {})

    def find_steps(self, claim: Claimed) -> None:
        found = self.do("steps_of_run", claim.seq, claim.fence, worker="late")
        self.tally.see("steps found again", 0 if found is None else len(found.steps))

    def record(self, claim: Claimed, name: str) -> None:
        """Whatever another run has recorded under that name stays."""
        if self.is_silent(claim):
            return
        step = NewStep(name, self.number(claim.seq, name), ran_for=3, result=f'"{self.name("result")}"')
        recorded = self.do("record_step", claim.seq, claim.fence, step, worker="late")
        self.tally.see("steps recorded" if recorded else "steps refused")
        self.renew_budget(claim)

    def is_silent(self, claim: Claimed) -> bool:
        run = claim.seq, claim.fence
        return claim.is_charged or (run in self.over and self.model.owned(*run) is not None)

    def renew_budget(self, claim: Claimed) -> None:
        """A run that has recorded something decides its ending by its new budget."""
        run = claim.seq, claim.fence
        self.claims[run] = replace(claim, attempt=0, crashes=0, rescues=0)

    def renewed(self, claim: Claimed) -> Claimed:
        return self.claims[claim.seq, claim.fence]

    def number(self, seq: int, name: str) -> int:
        steps = self.model.steps.get(seq, {})
        return steps[name].number if name in steps else len(steps) + 1

    @rule(owner=m.workers, queue=m.queues, length=lengths, jump=lengths)
    def sleep(self, owner: str, queue: str, length: int, jump: int) -> None:
        self.offer(queue)
        for claim in self.take(owner)[-1:]:
            name = f"#{len(self.model.steps.get(claim.seq, {})) + 1}"
            step = NewStep(name, self.number(claim.seq, name), StepKind.SLEEP, delay=length)
            self.do("record_step", claim.seq, claim.fence, step, worker="late")
            move(self.clock, 1)  # no answer came: it is asked again
            slept = self.do("record_step", claim.seq, claim.fence, step, worker="late")
            self.renew_budget(claim)
            if slept and slept.left > 0:
                self.end([ended(self.renewed(claim), Postponed(slept.left, "sleep"))], worker=owner)
                self.tally.see("slept")
        move(self.clock, jump)
        self.keep_up()

    @rule(owner=m.workers, event=events, order=orders, timeout=timeouts, jump=lengths, is_lost=losses)
    def wait_for(self, owner: str, event: str, order: str, *, timeout: int | None, jump: int, is_lost: bool) -> None:
        """An event comes before, while or after a run goes to sleep; or the run is lost before it does."""
        self.offer("mail")
        if order in ("between", "after"):
            event = self.name("event")  # others may have come long ago
        if order == "before":
            self.send(event)
        for claim in self.take(owner)[-2:]:
            outcome = self.await_event(claim, event, timeout)
            if order == "between":
                self.send(event)
            if outcome and not outcome.is_over and not is_lost:
                delay = 25 * HOUR if outcome.left is None else outcome.left
                self.end([ended(self.renewed(claim), Postponed(delay, "event"))], worker=owner)
                self.tally.see("events between look and sleep", order == "between")
        if order == "after":
            self.send(event)
        move(self.clock, jump)
        self.keep_up()
        for claim in self.take(owner):
            self.await_event(claim, event, timeout)

    def await_event(self, claim: Claimed, event: str, timeout: int | None) -> WaitOutcome | None:
        """Wait, or go on with the wait that an earlier run has begun."""
        if self.is_silent(claim):
            return None
        begun = next(iter(self.model.waits(claim.seq)), None)
        number = len(self.model.steps.get(claim.seq, {})) + 1
        wait = Wait(f"#{number}", number, event, timeout)
        if begun and begun.event:
            wait = Wait(begun.name, begun.number, begun.event, timeout)
        outcome: WaitOutcome | None = self.do("await_event", claim.seq, claim.fence, wait, worker="late")
        self.renew_budget(claim)
        if outcome is None:
            self.tally.see("waits refused")
        elif outcome.is_over:
            self.tally.see("events got" if outcome.kind == "event" else "waits timed out")
        return outcome

    @rule(event=events)
    def send(self, event: str) -> None:
        self.do("send_event", event, f'"{self.name("value")}"')

    def write_under(self, claim: Claimed, verb: str, outcome: str) -> None:
        """Steps and waits of runs that have their job no more, or have it still."""
        match verb:
            case "mark" if not claim.is_charged:
                self.record(claim, NAMES[claim.seq % len(NAMES)])
            case "extend" if not claim.is_charged:
                self.await_event(claim, EVENTS[claim.seq % len(EVENTS)], LEASE)
            case _:
                super().write_under(claim, verb, outcome)

    def do(self, name: str, *args: Any, **options: Any) -> Any:
        self.over |= {(one.seq, one.fence) for one in options.get("endings", ())}
        return super().do(name, *args, **options)

    def ask(self, asked: Asked, fate: str) -> None:
        self.over |= {(one.seq, one.fence) for one in asked.options.get("endings", ())}
        super().ask(asked, fate)
