"""Leaders that fire schedules, also when they lead no more, and people who change schedules meanwhile."""

from __future__ import annotations

from collections import deque
from itertools import product

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.manual_clock import move
from tests.model import samples as m
from tests.model.rules.actors import Cast
from windlass.core.schedules.policies import CatchUp, Overlap
from windlass.store.operations.enqueue import JobTemplate, NewJob, Uniqueness
from windlass.store.operations.schedules.definition import Definition
from windlass.store.operations.schedules.edits import edited, new_schedule, paused, resumed
from windlass.store.operations.schedules.records import Origin
from windlass.store.operations.schedules.steps import Step, steps
from windlass.store.operations.upkeep.leader import Lead

NAMES = ("hourly", "nightly", "often")
_OFTEN = m.HOUR // 12

_DEFINITIONS = [
    Definition(
        job=JobTemplate("t", queue, 0, None, 4, 0, None, None),
        payload="{}",
        unique_key=key,
        uniqueness=None if key is None else Uniqueness(),
        every=every,
        catch_up=catch_up,
        catch_up_limit=3,
        overlap=overlap,
    )
    for queue, key, every, catch_up, overlap in product(m.QUEUES, (None, None, "s"), (_OFTEN, m.HOUR), CatchUp, Overlap)
]

names = st.sampled_from(NAMES)
definitions = st.sampled_from(_DEFINITIONS)
edits = st.sampled_from(["none", "pause", "resume", "edit", "delete"])
jumps = st.sampled_from([1, _OFTEN, _OFTEN, m.LEASE, m.HOUR, 25 * m.HOUR, -m.HOUR])
kinds = st.sampled_from(["usual", "usual", "full", "failing"])


class Schedulers(Cast):
    """Whatever a leader has planned may be carried out late, and under any term that it ever had."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: list[Lead] = []
        self.planned: list[deque[Step]] = []

    @rule(name=names, definition=definitions)
    def add_schedule(self, name: str, definition: Definition) -> None:
        """Also where there is one of that name, which stays as it is then."""
        self.do("save_schedules", [new_schedule(name, definition, now=self.clock(), origin=Origin.HAND)])

    @precondition(lambda self: self.model.schedules)
    @rule(pick=m.picks, edit=edits, definition=definitions)
    def interfere(self, pick: int, edit: str, definition: Definition) -> None:
        self.change_schedule(sorted(self.model.schedules)[pick % len(self.model.schedules)], edit, definition)

    @rule(name=names, definition=definitions, holder=m.workers, jump=jumps, kind=kinds)
    def lead_for_a_while(self, name: str, definition: Definition, holder: str, jump: int, kind: str) -> None:
        """Time passes, and a leader fires what is due, again and again."""
        self.ensure(name, definition)
        if kind == "full":
            self.do("limit", definition.job.queue, max_length=2)
        for _ in range(2):
            move(self.clock, jump)
            self.fire_what_is_due(holder, does_fail=kind == "failing")

    @rule(name=names, definition=definitions, holder=m.workers, other=m.workers, edit=edits)
    def stop_a_leader(self, name: str, definition: Definition, holder: str, other: str, edit: str) -> None:
        """A leader stops before it fires. It goes on when another may have taken over, or an operator came first."""
        self.ensure(name, definition)
        move(self.clock, m.HOUR)
        self.plan(holder)
        planned = [deque(visit) for visit in self.planned]
        if edit == "none":
            move(self.clock, m.LEASE)
            self.fire_what_is_due(other)
        else:
            self.change_schedule(name, edit, definition)
        self.planned = planned
        if planned and self.terms:
            self.fire(self.terms[0] if edit == "delete" else self.terms[-1])

    def ensure(self, name: str, definition: Definition) -> None:
        if name not in self.model.schedules:
            self.do("save_schedules", [new_schedule(name, definition, now=self.clock(), origin=Origin.HAND)])

    def change_schedule(self, name: str, edit: str, definition: Definition) -> None:
        record = self.model.schedules[name]
        match edit:
            case "pause":
                changed = paused(by="operator", reason=None)(record, self.clock())
            case "resume":
                changed = resumed()(record, self.clock())
            case "edit":
                changed = edited(definition, by="operator")(record, self.clock())
            case "delete":
                self.do("delete_schedule", name)
                return
            case _:
                return
        self.do("save_schedules", [changed])

    def fire_what_is_due(self, holder: str, *, does_fail: bool = False) -> None:
        """A round of a leader, if it leads."""
        self.plan(holder, does_fail=does_fail)
        while self.planned and self.terms and self.fire(self.terms[-1]):
            pass

    def plan(self, holder: str, *, does_fail: bool = False) -> None:
        lead = self.do("take_lead", holder)
        if lead.holder == holder:
            self.terms.append(lead)
        found = self.do("due_schedules")
        make = self.fail_to_make if does_fail else self.make
        self.planned = [deque(steps(record, now=found.now, make=make)) for record in found.schedules]

    def fire(self, lead: Lead) -> bool:
        """Take the next step with each schedule; whether any was taken."""
        wanted = [visit[0] for visit in self.planned]
        before = self.model.last_seq
        taken = self.do("fire", lead, wanted)
        self.learn(before)
        if taken is None:
            self.tally.see("fires by a leader of before")
            return False
        self.tally.see("fires of what has changed", len(wanted) - len(taken))
        for result in taken:
            self.tally.see(f"slot {result.verdict}")
        for step in wanted:
            self.tally.see("slots missed", step.row.missed)
        names = {result.name for result in taken}
        for visit in self.planned:
            visit.popleft()
        self.planned = [visit for visit in self.planned if visit and visit[0].row.name in names]
        return bool(taken)

    def make(self, name: str, definition: Definition, slot: int) -> NewJob:
        return definition.new_job(self.name("fired"), meta=None)

    def fail_to_make(self, name: str, definition: Definition, slot: int) -> NewJob:
        raise TypeError("arguments that do not fit")
