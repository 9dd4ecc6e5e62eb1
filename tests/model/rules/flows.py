"""Those who build flows: jobs that wait for others, chains that pass results on, and parents that come to their end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from msgspec.structs import replace

from tests.manual_clock import move
from tests.model import samples as m
from tests.model.rules.owners import Owners
from tests.model.rules.turns import Turns
from tests.model.samples import LEASE, Limits, When
from windlass.core.codec.stored_text.seal import seal
from windlass.core.flows.inputs import Inputs, with_inputs
from windlass.core.records import Claimed, JobRecord
from windlass.core.state import FINISHED, State
from windlass.store.operations.cycle import StartMark
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.flows.edges import NewEdge, Policy
from windlass.store.operations.flows.groups import NewGroup, NewMember

PAYLOAD = seal(b'{"v":1,"args":[],"kwargs":{}}')
_ALL_PARENTS = with_inputs(PAYLOAD, Inputs())
_QUESTIONS = {"steps_of_run", "pending", "group_results", "group_counts"}

policies = st.sampled_from([Policy.CANCEL, Policy.CANCEL, Policy.RUN, Policy.WAIT])
parents = st.lists(m.picks, min_size=1, max_size=3)
names = st.sampled_from([None, None, "k"])
keys = st.sampled_from([None, None, None, "u"])
ways = st.sampled_from(["cancel", "delete", "fail", "fail", "complete", "lose", "expire"])
lates = st.sampled_from([False, False, True])
sequels = st.sampled_from(["none", "retry", "retry", "retry both", "delete"])


class Flows(Owners, Turns):
    """What waits for parents is settled by whatever ends these; promote settles the rest, so it follows every call."""

    def __init__(self) -> None:
        super().__init__()
        self.mirror.promoted_at_once = 100

    @initialize()
    def set_up_flow(self) -> None:
        self.enqueue_chain("mail", 3, Policy.CANCEL, into=None, turned=False, fails=False)

    @rule(
        queue=m.queues,
        length=st.integers(2, 4),
        policy=policies,
        into=st.sampled_from([None, "page"]),
        turned=m.flags,
        fails=m.flags,
    )
    def enqueue_chain(
        self, queue: str, length: int, policy: Policy, *, into: str | None, turned: bool, fails: bool
    ) -> None:
        """Each job gets the result of the one before; the first may be cancelled, and retried by hand."""
        new = [self.new(queue, payload=PAYLOAD)]
        for _ in range(length - 1):
            new.append(self.new(queue, payload=with_inputs(PAYLOAD, Inputs(new[-1].id, into))))
        self.tie([(job, new[index : index + 1]) for index, job in enumerate(new[1:])], policy, new[:1], turned=turned)
        for first in [job for job in self.model.jobs.values() if job.id == new[0].id and fails]:
            self.do("cancel", [first.seq])
            self.retry_parents([first.seq])

    @rule(queue=m.queues, policy=policies, key=names, more=m.few, turned=m.flags)
    def enqueue_diamond(self, queue: str, policy: Policy, key: str | None, more: int, turned: bool) -> None:
        """The last job gets all results; the first may be there already, under its unique key."""
        first = self.new(queue, key=key, payload=PAYLOAD)
        middle = [self.new(queue, priority=number) for number in range(1 + more)]
        last = self.new(queue, payload=_ALL_PARENTS)
        self.tie([*((job, [first]) for job in middle), (last, middle)], policy, [first], turned=turned)

    @rule(queue=m.queues, size=st.integers(1, 4), policy=policies, key=names, turned=m.flags)
    def enqueue_group(self, queue: str, size: int, policy: Policy, *, key: str | None, turned: bool) -> None:
        """The callback waits for all members; one of them may be there already, under its unique key."""
        members = [self.new(queue, key=None if place else key, priority=place % 2) for place in range(size)]
        callback = self.enqueue_members(members, policy, turned=turned)
        self.tally.see("groups", any(job.id == callback.id for job in self.model.jobs.values()))

    def enqueue_members(self, members: list[NewJob], policy: Policy, *, turned: bool = False) -> NewJob:
        """Store the members of a group and the callback, which is returned."""
        callback = _waiting(self.new(members[0].queue))
        new = [callback, *members] if turned else [*members, callback]
        named = [NewMember(callback.id, place, job.id, job.unique_key) for place, job in enumerate(members)]
        keyed = {index: Uniqueness() for index, job in enumerate(new) if job.unique_key}
        self.store(new, keyed, groups=[NewGroup(callback.id, policy)], members=named)
        return callback

    @rule(queue=m.queues, pick=m.picks, more=m.few, key=names, is_late=lates)
    def add_members(self, queue: str, pick: int, more: int, *, key: str | None, is_late: bool) -> None:
        """A group that waits for its members gets more of them; one that does not wait any more refuses them."""
        if not is_late:
            self.enqueue_members([self.new(queue)], Policy.RUN)  # that one is open is too seldom
        found = [job for job in self.model.callbacks() if self.model.takes_members(job.id) is not is_late]
        if not found or (is_late and self.model.has_limits):
            return  # if its queue is full as well, each store says first what it sees first
        callback = found[-1 - pick % len(found)]
        new = [self.new(queue, key=None if place else key) for place in range(1 + more)]
        added = [NewMember(callback.id, place, job.id, job.unique_key) for place, job in enumerate(new)]
        self.store(new, {0: Uniqueness()} if key else {}, added=added)
        self.tally.see("members refused" if is_late else "members added")
        self.look_at_group(callback.seq)

    @rule(queue=m.queues, size=st.integers(1, 3), worker=m.workers)
    def run_callback_before_a_retry(self, queue: str, size: int, worker: str) -> None:
        """A callback runs once, also if a member is retried, and completes, after it has run."""
        members = [self.new(queue) for _ in range(size)]
        callback = self.enqueue_members(members, Policy.RUN)
        seqs = [job.seq for job in self.model.jobs.values() if job.id in {member.id for member in members}]
        self.do("cancel", seqs)
        self.run_all_of(queue, worker)
        if seqs:
            self.retry_parents(seqs[:1])
            self.run_all_of(queue, worker)
        ended = [job for job in self.model.jobs.values() if job.id == callback.id and job.state in FINISHED]
        self.tally.see("callbacks before a retry", len(ended))

    def run_all_of(self, queue: str, worker: str) -> None:
        """Take what is next in a queue, and complete it."""
        self.ask_next(queue)
        self.take(worker)
        self.finish(self.live(worker), "returned", worker=worker)

    @rule(queue=m.queues, policy=policies, worker=m.workers)
    def lose_parent(self, queue: str, policy: Policy, worker: str) -> None:
        """A parent with one attempt is lost for good; by chance alone nearly all are put back."""
        parent = self.new(queue, priority=2, attempts=1)
        self.tie([(self.new(queue, payload=_ALL_PARENTS), [parent])], policy, [parent])
        self.ask_next(queue)
        marks = [StartMark(claim.seq, claim.fence, 0) for claim in self.take(worker) if claim.id == parent.id]
        self.do("cycle", self.claimant(worker), marks=marks)
        move(self.clock, LEASE)
        self.keep_up()
        lost = [job for job in self.model.jobs.values() if job.id == parent.id and job.state is State.FAILED]
        self.tally.see("parents lost for good", len(lost))

    @rule(queue=m.queues, way=ways, worker=m.workers)
    def take_key_of_child(self, queue: str, way: str, worker: str) -> None:
        """What a parent takes along gives its unique key back: the next job that names it is stored."""
        parent, key = self.new(queue, priority=2), self.name("key")
        self.tie([(self.new(queue, key=key), [parent])], Policy.CANCEL, [parent])
        for stored in [job for job in self.model.jobs.values() if job.id == parent.id]:
            self.bring_about(stored, way, worker)
        self.store([self.new(queue, key=key)], {0: Uniqueness()})

    @rule(queue=m.queues, picks=parents, policy=policies, when=m.whens, limits=m.limits, names=st.tuples(names, keys))
    def enqueue_after(
        self,
        queue: str,
        picks: list[int],
        policy: Policy,
        *,
        when: When,
        limits: Limits,
        names: tuple[str | None, str | None],
    ) -> None:
        """After jobs that are there, in whatever state they are, or were."""
        (delay, offset), (attempts, expires) = when, limits
        if policy is Policy.RUN:
            delay, offset = 0, None  # PostgreSQL compares with the time of the server when the parent is deleted
        ids = list(dict.fromkeys(self.born[self.seq(pick)] for pick in picks))
        known = {job.id for job in self.model.jobs.values()}
        if len(ids) > 1 or self.model.has_limits:
            ids = [id for id in ids if id in known]
        options: dict[str, Any] = {"attempts": attempts, "expires": expires, "key": names[0], "one_of": names[1]}
        at = None if offset is None else self.clock() + offset
        job = self.new(queue, delay=delay, at=at, payload=_ALL_PARENTS, **options)
        self.tie([(job, ids)], policy)

    def tie(
        self,
        children: Sequence[tuple[NewJob, Sequence[NewJob | str]]],
        policy: Policy,
        others: Sequence[NewJob] = (),
        *,
        turned: bool = False,
    ) -> None:
        """Store jobs in one call, in either order, each with its parents."""
        new = [*others, *(_waiting(job) if parents else job for job, parents in children)]
        if turned:
            new.reverse()
        edges = [
            NewEdge(job.id, place, *((parent, None) if isinstance(parent, str) else _named(parent)), policy)
            for job, parents in children
            for place, parent in enumerate(parents)
        ]
        self.store(new, {index: Uniqueness() for index, job in enumerate(new) if job.unique_key}, edges)

    @precondition(lambda self: self.parents())
    @rule(pick=m.picks, way=ways, sequel=sequels, worker=m.workers)
    def end_parent(self, pick: int, way: str, sequel: str, worker: str) -> None:
        """A job that others wait for comes to an end, in one of many ways; and may be retried by hand."""
        found = self.parents()
        parent = found[pick % len(found)]
        self.bring_about(parent, way, worker)
        behind = [seq for seq, edges in self.model.edges.items() if any(edge.parent == parent.seq for edge in edges)]
        match sequel:
            case "retry" | "retry both":
                seqs = [parent.seq, *behind] if sequel == "retry both" else [parent.seq]
                self.retry_parents([seq for seq in seqs if seq in self.model.jobs])
            case "delete":
                self.do("delete", [(seq, self.born[seq]) for seq in sorted(behind)])
            case _:
                pass

    def bring_about(self, parent: JobRecord, way: str, worker: str) -> None:
        match way:
            case "cancel":
                self.do("cancel", [parent.seq])
            case "delete":
                self.do("delete", [(parent.seq, parent.id)])
            case "expire":
                move(self.clock, LEASE)
                self.keep_up()
            case _:
                self.ask_next(parent.queue)
                self.take(worker)
                own = [claim for claim in self.live() if claim.seq == parent.seq]
                if way == "lose":
                    move(self.clock, LEASE)
                    self.keep_up()
                    self.tally.see("parents put back", self.is_waiting(parent.seq))
                else:
                    self.finish(own or self.live(), "returned" if way == "complete" else "refused", worker=worker)

    def retry_parents(self, seqs: list[int]) -> None:
        before = {job.seq for job in self.model.waiting()}
        self.do("retry", sorted(seqs), queue=None)
        self.tally.see("children taken back", len({job.seq for job in self.model.waiting()} - before))

    def is_waiting(self, seq: int) -> bool:
        return seq in self.model.jobs and self.model.jobs[seq].state is State.PENDING

    def parents(self) -> list[JobRecord]:
        """Jobs that others wait for, and that have not ended."""
        seqs = sorted({seq for job in self.model.waiting() for seq in self.model.open_parents(job.seq)})
        found = [self.model.jobs[seq] for seq in seqs if seq in self.model.jobs]
        return [job for job in found if job.state not in FINISHED]

    @precondition(lambda self: self.model.waiting())
    @rule(pick=m.picks, worker=m.workers, outcome=m.outcomes)
    def run_link_by_hand(self, pick: int, worker: str, outcome: str) -> None:
        """What waits for parents is cancelled and retried by hand: it runs without them, whatever becomes of them."""
        waiting = self.model.waiting()
        child = waiting[pick % len(waiting)]
        self.do("cancel", [child.seq])
        self.retry_parents([child.seq])
        self.tally.see("links run by hand")
        for seq in sorted(edge.parent for edge in self.model.edges[child.seq])[:2]:
            if seq in self.model.jobs:
                self.bring_about(self.model.jobs[seq], "fail" if outcome == "refused" else "cancel", worker)

    @rule(worker=m.workers, outcome=m.outcomes)
    def run_through(self, worker: str, outcome: str) -> None:
        """A worker runs what there is, and then what that has let go."""
        for ends in ("returned", outcome, "returned"):
            self.take(worker)
            self.finish(self.live(worker), ends, worker=worker)

    def lets_go(self, ended: list[Claimed]) -> bool:
        """Whether jobs wait for these runs, or for a concurrency key that they hold."""
        seqs = {claim.seq for claim in ended}
        awaited = {seq for job in self.model.waiting() for seq in self.model.open_parents(job.seq)}
        return bool(seqs & awaited) or super().lets_go(ended)

    def remember(self, answer: Any) -> list[Claimed]:
        claimed = super().remember(answer)
        for claim in claimed:
            if self.model.members_of(claim.seq):
                self.look_at_group(claim.seq)
            if self.model.jobs[claim.seq].payload != claim.payload:
                self.tally.see("errors passed on" if "parent_failed" in claim.payload else "results passed on")
        return claimed

    def look_at_group(self, seq: int) -> None:
        """The results that a callback gets, and how far its group is."""
        self.look("group_results", seq)
        self.look("group_counts", seq)
        self.tally.see("results of groups", sum(result is not None for _, _, result in self.model.group_results(seq)))

    def do(self, name: str, *args: Any, **options: Any) -> Any:
        before = self.model.waiting()
        answer = super().do(name, *args, **options)
        if name not in _QUESTIONS:
            self.compare_children(name, before)
            last = self.last
            super().do("promote")
            self.last = last
        return answer

    def follow_the_time_of_the_server(self, moved: list[JobRecord]) -> None:
        """When a parent is deleted, PostgreSQL compares the time of a child with that of the server, not the test's."""
        free = [job for job in moved if job.state in (State.PENDING, State.SCHEDULED)]
        states = self.mirror.states([job.id for job in free]) if free else {}
        for job in free:
            if states.get(job.id) in (State.PENDING, State.SCHEDULED):
                self.model.jobs[job.seq] = replace(job, state=states[job.id])

    def compare_children(self, name: str, before: list[JobRecord]) -> None:
        """The children of what a call has ended are settled by the same call; promote settles theirs."""
        children = [self.model.jobs[job.seq] for job in before if job.seq in self.model.jobs]
        moved = [job for job in children if job.state is not State.BLOCKED]
        for job in moved:
            self.tally.see(f"children {'cancelled' if job.reason == 'dependency' else 'released'}")
        if name == "delete":
            self.follow_the_time_of_the_server(moved)
            moved = [self.model.jobs[job.seq] for job in moved]
        seqs = {job.seq for job in before}
        direct = {
            job.id: job.state for job in moved if not any(edge.parent in seqs for edge in self.model.edges[job.seq])
        }
        if direct:
            with self.counted():
                states = self.mirror.states(list(direct))
                assert states == direct, f"the store says {states}\nthe model says {direct}"


def _waiting(job: NewJob) -> NewJob:
    return replace(job, after=1)


def _named(parent: NewJob) -> tuple[str, str | None]:
    return parent.id, parent.unique_key
