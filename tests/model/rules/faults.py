"""What goes wrong: time passes, owners stall and come back, rescues come late, calls come twice."""

from __future__ import annotations

from hypothesis.stateful import precondition, rule

from tests.manual_clock import move
from tests.model import samples as m
from tests.model.rules.actors import Cast, once_more, presence
from tests.model.samples import BY_HAND, LEASE
from tests.model.side_by_side import Asked
from windlass.core.records import Claimed
from windlass.store.operations.cycle import StartMark

_LOSSES = 5


class Troubles(Cast):
    """Everything that the fence is for."""

    has_crashed = False

    @rule(jump=m.jumps, does_keep_up=m.flags)
    def wait(self, jump: int, does_keep_up: bool) -> None:
        move(self.clock, jump)
        if does_keep_up:
            self.keep_up()

    @rule(owner=m.owners, successor=m.successors, is_marked=m.flags, verb=m.writes, outcome=m.outcomes)
    def stall(self, owner: str, successor: str | None, is_marked: bool, verb: str, outcome: str) -> None:
        """An owner is silent until its jobs were rescued; then it writes to what a successor has, or asks again."""
        claims, asked = self.lose(owner, is_marked=is_marked)
        if successor:
            self.take(successor)
            for claim in claims:
                self.write_under(claim, verb, outcome)
        else:
            self.remember(self.do(asked.name, *asked.args, **asked.options))

    @precondition(lambda self: not self.has_crashed)
    @rule(worker=m.workers, is_marked=m.flags)
    def crash_and_crash(self, worker: str, is_marked: bool) -> None:
        """Jobs that are lost again and again are given up; once in a history, for it takes long."""
        self.has_crashed = True
        for _ in range(_LOSSES):
            self.lose(worker, is_marked=is_marked)

    def lose(self, owner: str, *, is_marked: bool) -> tuple[list[Claimed], Asked]:
        """Let somebody take jobs and keep silent until they were rescued; what was taken, and by which call."""
        claims = self.take(owner)
        assert self.last
        asked = self.last
        if is_marked and owner != BY_HAND:
            self.do("cycle", self.claimant(owner), marks=[StartMark(claim.seq, claim.fence, 0) for claim in claims])
        move(self.clock, LEASE)
        self.keep_up()
        return claims, asked

    @precondition(lambda self: self.claims)
    @rule(pick=m.picks, verb=m.writes, outcome=m.outcomes, is_owner=m.flags)
    def write(self, pick: int, verb: str, outcome: str, is_owner: bool) -> None:
        """A write by an owner, or under any fence that was ever given out."""
        claims = (is_owner and self.live()) or list(self.claims.values())
        self.write_under(claims[-1 - pick % len(claims)], verb, outcome)

    @rule(pick=m.picks, does_close=m.flags)
    def use_old_lease(self, pick: int, does_close: bool) -> None:
        worker, lease = self.all_leases[-1 - pick % len(self.all_leases)]
        if does_close:
            self.do("close_lease", worker=worker, lease=lease)
        else:
            self.do("renew", presence(worker), lease=lease)

    @rule()
    def repeat(self) -> None:
        """The last call arrives twice."""
        assert self.last
        before = self.model.last_seq
        name, args, options = once_more(self.last)
        self.do(name, *args, **options)
        self.learn(before)

    @rule()
    def rescue_slowly(self) -> None:
        """Half a rescue; the other half comes after whatever happens in between."""
        if self.model.losses:
            self.free()
        else:
            self.do("look_for_expired")

    @rule(worker=m.workers, outcome=m.outcomes)
    def outrun_rescue(self, worker: str, outcome: str) -> None:
        """While a rescuer decides, the owners end their jobs after all, and another worker takes what comes back."""
        self.do("look_for_expired")
        self.finish(self.live(), outcome, worker="late")
        self.do("promote")
        self.take(worker)
        self.free()
