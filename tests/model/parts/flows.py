"""The part of the model that is about flows: which jobs wait for which, and the results that they get."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tests.model.parts.part import Part
from windlass.core.codec.types.parent_failed import ParentFailed, failure_json
from windlass.core.fault import read_faults
from windlass.core.flows.inputs import filled, inputs_of, list_of, value_of_result
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State, Verb
from windlass.store.operations.flows.edges import NewEdge, Policy
from windlass.store.operations.flows.groups import NewGroup, NewMember

if TYPE_CHECKING:
    from tests.model.model import Key


GroupResult = tuple[str | None, State | None, str | None]
"""A member's id, how it has ended, and what it returned; no id for one that is gone, no state for one that goes on."""


@dataclass(slots=True)
class Edge:
    """A job that another waits for, or the members of a group, of which one at a time is watched."""

    parents: list[int]
    parent_id: str
    """Empty for a group."""
    policy: Policy
    is_open: bool = True
    watched: int = 0

    @property
    def parent(self) -> int:
        return self.parents[self.watched]


class FlowModel(Part):
    """A job that waits for others is blocked until each has completed, or ended as its policy says."""

    keys: dict[str, Key]

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.edges: defaultdict[int, list[Edge]] = defaultdict(list)

    @abstractmethod
    def _move(self, job: JobRecord, verb: Verb, state: State, **changes: Any) -> None: ...

    def tie(self, edges: Sequence[NewEdge], groups: Sequence[NewGroup] = (), members: Sequence[NewMember] = ()) -> None:
        """Let new jobs wait for their parents, and for the members of their groups."""
        seqs = {job.id: job.seq for job in self.jobs.values()}
        for edge in sorted(edges, key=lambda edge: edge.place):
            if edge.child in seqs:
                parent = self._seq(edge.parent, edge.parent_key)
                self.edges[seqs[edge.child]].append(Edge([parent], self.jobs[parent].id, Policy(edge.policy)))
        for group in groups:
            own = sorted((one for one in members if one.callback == group.callback), key=lambda one: one.place)
            found = [self._seq(one.member, one.member_key) for one in own]
            self.edges[seqs[group.callback]].append(Edge(found, "", Policy(group.policy)))
        self.settle()

    def join(self, added: Sequence[NewMember]) -> None:
        """Let groups that are there wait for more members; one that is a member already stays where it is."""
        for one in sorted(added, key=lambda one: one.place):
            member = self._seq(one.member, one.member_key)
            for edge in self._groups(one.callback):
                if member not in edge.parents:
                    edge.parents.append(member)

    def takes_members(self, callback: str) -> bool:
        """Whether the callback of a group waits for its members still."""
        is_waiting = any(job.id == callback for job in self.waiting())
        return is_waiting and any(edge.is_open for edge in self._groups(callback))

    def _groups(self, callback: str) -> list[Edge]:
        seqs = [job.seq for job in self.jobs.values() if job.id == callback]
        return [edge for seq in seqs for edge in self.edges[seq] if not edge.parent_id]

    def callbacks(self) -> list[JobRecord]:
        """Those of groups, whatever has become of them."""
        return [job for job in self.jobs.values() if self.members_of(job.seq)]

    def members_of(self, seq: int) -> list[int]:
        return [member for edge in self.edges.get(seq, ()) if not edge.parent_id for member in edge.parents]

    def group_results(self, seq: int) -> list[GroupResult]:
        return [_group_result(self.jobs.get(member)) for member in self.members_of(seq)]

    def group_counts(self, seq: int) -> dict[State | None, int]:
        found = [self.jobs.get(member) for member in self.members_of(seq)]
        return dict(Counter(None if job is None else job.state for job in found))

    def _seq(self, id: str, key: str | None) -> int:
        """One that was not stored because of its key is the job that holds it."""
        known = next((job.seq for job in self.jobs.values() if job.id == id), None)
        return self.keys[key or ""].seq if known is None else known

    def waiting(self) -> list[JobRecord]:
        """Those that wait for parents."""
        return [job for job in self.jobs.values() if job.state is State.BLOCKED and job.reason == "parents"]

    def open_parents(self, seq: int) -> set[int]:
        return {edge.parent for edge in self.edges[seq] if edge.is_open}

    def settle(self) -> None:
        """Look at all that wait until nothing changes: a child that is cancelled may take others along."""
        has_changed = True
        while has_changed:
            settled = [self._settle(job) for job in self.waiting()]
            has_changed = any(settled)

    def _settle(self, job: JobRecord) -> bool:
        for edge in self.edges[job.seq]:
            if edge.is_open:
                self._watch_next(edge)
            if edge.is_open and self._has_ended(edge.parent):
                parent = self.jobs.get(edge.parent)
                if (parent is None or parent.state is not State.COMPLETED) and edge.policy is Policy.CANCEL:
                    self._move(job, Verb.CANCEL, State.CANCELLED, reason="dependency")
                    return True
                is_missed = parent is None or parent.state is not State.COMPLETED
                edge.is_open = is_missed and edge.policy is Policy.WAIT
        if self.open_parents(job.seq):
            return False
        self._move(job, Verb.UNBLOCK, State.PENDING, reason=None)
        if job.run_at > self._now():
            self.jobs[job.seq] = replace(self.jobs[job.seq], state=State.SCHEDULED)
        return True

    def _watch_next(self, edge: Edge) -> None:
        """The next member of a group that its callback has to wait for; the last, if there is none."""
        while edge.watched + 1 < len(edge.parents) and self._is_done(edge):
            edge.watched += 1

    def _is_done(self, edge: Edge) -> bool:
        parent = self.jobs.get(edge.parent)
        has_completed = parent is not None and parent.state is State.COMPLETED
        return has_completed or (edge.policy is Policy.RUN and self._has_ended(edge.parent))

    def _watch_again(self, retried: Iterable[int]) -> None:
        """A member that waits again is waited for."""
        for job in self.waiting():
            for edge in self.edges[job.seq]:
                before = [place for place, seq in enumerate(edge.parents[: edge.watched]) if seq in set(retried)]
                if edge.is_open and before:
                    edge.watched = before[0]

    def _has_ended(self, seq: int) -> bool:
        return seq not in self.jobs or self.jobs[seq].state in FINISHED

    def take_back(self, retried: Iterable[int]) -> None:
        """What was cancelled because of these jobs, and because of that in turn, waits again; promote settles it."""
        parents = set(retried)
        self._watch_again(parents)
        while parents:
            found = [job for job in self.jobs.values() if _is_taken_along(job) and self._is_behind(job, parents)]
            for job in found:
                self.jobs[job.seq] = replace(job, state=State.BLOCKED, reason="parents", finished_at=None)
                for edge in self.edges[job.seq]:
                    edge.is_open = True
            parents = {job.seq for job in found}

    def _is_behind(self, job: JobRecord, parents: set[int]) -> bool:
        return any(edge.parent in parents for edge in self.edges[job.seq])

    def forget_edges(self, seq: int) -> None:
        """The edges of a child go with it."""
        self.edges.pop(seq, None)

    def filled_payload(self, job: JobRecord) -> str:
        """The payload as its run gets it: with the results of its parents, where it wants them."""
        inputs = inputs_of(job.payload)
        if inputs is None:
            return job.payload
        if inputs.parent is not None:
            return filled(job.payload, self._value(inputs.parent))
        ids = [edge.parent_id if edge.parent in self.jobs else "" for edge in self.edges[job.seq]]
        return filled(job.payload, list_of([self._value(id) for id in ids]))

    def _value(self, id: str) -> bytes:
        parent = next((job for job in self.jobs.values() if job.id == id), None)
        if parent is None or parent.state not in FINISHED:
            return failure_json(ParentFailed(id, state="unfinished" if parent else "deleted"))
        if parent.state is State.COMPLETED:
            return value_of_result(parent.result)
        faults = read_faults(parent.errors).faults if parent.state is State.FAILED else ()
        told = {"type": faults[-1].type, "message": faults[-1].message} if faults else {}
        return failure_json(ParentFailed(id, state=parent.state.value, reason=parent.reason, **told))


def _group_result(job: JobRecord | None) -> GroupResult:
    if job is None:
        return None, None, None
    return job.id, job.state if job.state in FINISHED else None, job.result


def _is_taken_along(job: JobRecord) -> bool:
    return job.state is State.CANCELLED and job.reason == "dependency"
