"""Jobs with concurrency keys, queues with rates, and runs that are throttled."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.manual_clock import move
from tests.model import samples as m
from tests.model.rules.turns import Turns
from tests.model.samples import LEASE, QUEUES, Limits
from windlass.core.rates.cooldown import Cooldown
from windlass.core.rates.rate import Rate
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations.cycle import StartMark
from windlass.store.operations.rates.cooldowns import Scope

LIMIT = "github"
SHORT = Cooldown(base=LEASE / 1000, max=100)

_RATES = [Rate(1, LEASE, 2), Rate(2, 45_000, 3)]
_KEY_RATE = Rate(1, LEASE, 2)
_COOLED = [(Scope.QUEUE, queue) for queue in QUEUES] + [(Scope.TASK, "t"), (Scope.LIMIT, LIMIT)]

keyed = st.sampled_from([("t", "u"), ("t", "u"), ("t", "u"), ("t", "v"), ("u", "u"), ("t", None)])
rates = st.sampled_from(_RATES)
new_rates = st.sampled_from([None, None, *_RATES])
jumps = st.sampled_from([None, 0, 1, LEASE, 4 * LEASE, m.HOUR, -m.HOUR])
cooled = st.sampled_from(_COOLED)
lengths = st.sampled_from([None, None, None, 1, LEASE])
most = st.sampled_from([1, 2, 2])
ends = st.sampled_from(["returned", "refused"])
pauses = st.lists(st.sampled_from([LEASE, LEASE, 2 * LEASE, m.HOUR]), min_size=1, max_size=3)
ways = st.sampled_from(["cancel", "cancel and retry", "delete", "put off", "put on", "expire"])


class Traffic(Turns):
    """Few keys, so that they are full."""

    @initialize()
    def set_up_keys(self) -> None:
        self.store([self.new("mail", one_of="u"), self.new("bulk", one_of="u"), self.new("mail", one_of="u")], {})

    @rule(queue=m.queues, keyed=keyed, priority=m.priorities, limits=m.limits, more=m.few)
    def enqueue(self, queue: str, keyed: tuple[str, str | None], priority: int, limits: Limits, more: int) -> None:
        (task, key), (attempts, expires) = keyed, limits
        options: dict[str, Any] = {"task": task, "priority": priority, "attempts": attempts, "expires": expires}
        self.store([self.new(queue, one_of=key, **options) for _ in range(1 + more)], {})

    @rule(number=most, queue=m.queues, worker=m.workers, is_by_hand=m.flags)
    def declare(self, number: int, queue: str, worker: str, is_by_hand: bool) -> None:
        """A limit that grows finds jobs that wait; often enough it is one that was just lowered."""
        self.set_key_limit(1, is_by_hand=is_by_hand)
        self.store([self.new(queue, one_of="u") for _ in range(2)], {})
        self.ask_next(queue)
        self.take(worker)
        before = len(self.model.blocked())
        self.set_key_limit(number, is_by_hand=is_by_hand)
        self.tally.see("let go by a limit that grew", before - len(self.model.blocked()))

    def set_key_limit(self, number: int, *, is_by_hand: bool) -> None:
        if is_by_hand:
            self.do("change_key_limit", "t", number)
        else:
            self.do("declare_key_limits", {"t": number})

    @rule()
    def let_the_code_decide(self) -> None:
        """What an operator said about keys goes no more before what is declared."""
        self.do("change_key_limit", "t", None)

    @rule(worker=m.workers, outcome=m.outcomes, way=ways, is_marked=m.flags)
    def take_away(self, worker: str, outcome: str, way: str, is_marked: bool) -> None:
        """A job that was to run next is taken away; what follows by chance alone would follow too seldom."""
        self.finish(self.live(), outcome, worker=worker)
        for number in range(3):
            options: dict[str, Any] = {"one_of": "u", "expires": LEASE if number < 2 else None}
            self.store([self.new("mail", **options), self.new("bulk", priority=number % 2, **options)], {})
            claims = self.take(worker)
            if is_marked:
                self.do("cycle", self.claimant(worker), marks=[StartMark(one.seq, one.fence, 0) for one in claims])
        self.finish(self.live(), outcome, worker=worker)
        for seq in sorted(self.model.promised):
            self.take_turn_away(seq, way)

    def take_turn_away(self, seq: int, way: str) -> None:
        waited = len(self.model.blocked())
        match way:
            case "cancel":
                self.do("cancel", [seq])
            case "cancel and retry":
                self.do("cancel", [seq])
                self.do("retry", [seq])
            case "delete":
                self.do("delete", [(seq, self.born[seq])])
            case "expire":
                move(self.clock, LEASE)
                self.do("promote")
            case _:
                self.do("reschedule", seq, delay=LEASE if way == "put off" else 0)
        self.tally.see("turns passed on", waited > len(self.model.blocked()))

    @rule(queue=m.queues, worker=m.workers)
    def fill_up(self, queue: str, worker: str) -> None:
        """Jobs that are blocked take up room in their queue."""
        self.do("limit", queue, max_length=3)
        for _ in range(4):
            self.store([self.new(queue, one_of="v")], {})
            self.ask_next(queue)
            self.take(worker)
        self.do("limit", queue, max_length=None)

    @rule(queue=m.queues, rate=new_rates)
    def set_rate(self, queue: str, rate: Rate | None) -> None:
        self.do("set_rate", queue, rate)

    @rule(owner=m.owners, queue=m.queues, rate=rates, jump=m.jumps)
    def take_at_rate(self, owner: str, queue: str, rate: Rate, jump: int) -> None:
        """Somebody asks for more jobs than there are tokens, and again after a while."""
        self.do("set_rate", queue, rate)
        self.store([self.new(queue) for _ in range(3)], {})
        for _ in range(3):
            self.ask_next(queue)
            self.take(owner)
            self.tally.see("out of tokens", self.model.tokens(queue) == 0)
        for pause in (jump, LEASE):
            move(self.clock, pause)
            self.ask_next(queue)
            self.take(owner)

    @rule(owner=m.owners, queue=m.queues, number=st.integers(1, 6), later=m.few, outcome=ends, pauses=pauses)
    def run_at_rate(self, owner: str, queue: str, number: int, *, later: int, outcome: str, pauses: list[int]) -> None:
        """More jobs of one rate key than there are tokens; the last may come while others wait. None stays behind:
        how often promote looks at tokens that are not taken is left to the store.
        """
        self.do("declare_rates", {"r": _KEY_RATE})
        before, key = self.model.last_seq, self.name("upstream")
        self.make_room(queue)
        self.store([self.new(queue, task="r", rate_key=key) for _ in range(number)], {})
        for pause in pauses:
            self.ask_next(queue)
            claims = self.take(owner)
            waiting = [job for job in self.model.jobs.values() if job.reason == "rate" and job.state is State.BLOCKED]
            self.tally.see("waited for a token of their key", len(waiting))
            self.finish([claim for claim in claims if claim.seq > before], outcome, worker=owner)
            move(self.clock, pause)
            self.keep_up()
            self.store([self.new(queue, task="r", rate_key=key) for _ in range(later)], {})
        self.take_out(before)

    def make_room(self, queue: str) -> None:
        self.do("limit", queue, max_length=None)
        self.do("pause", queue, is_paused=False)

    def take_out(self, before: int) -> None:
        """Delete the jobs that came after this one, and let promote find that none waits."""
        self.finish([claim for claim in self.live() if claim.seq > before], "refused", worker="late")
        self.do("delete", [(seq, self.born[seq]) for seq in sorted(self.model.jobs) if seq > before])
        move(self.clock, m.HOUR)
        self.do("promote")

    @rule(owner=m.owners, what=cooled, chosen=lengths, jump=jumps)
    def throttle(self, owner: str, what: tuple[Scope, str], chosen: int | None, jump: int | None) -> None:
        """Runs meet a 429, soon after each other or not; or the next just when the time is over."""
        self.store([self.new(queue) for queue in QUEUES], {})
        for length in (chosen, None):
            self.take(owner)
            for claim in self.live()[-1:]:
                left = self.be_throttled(claim, what, length)
                move(self.clock, left if jump is None else jump)
            if what[0] is Scope.QUEUE:
                self.ask_next(what[1])
        self.take(owner)
        self.keep_up()

    @precondition(lambda self: self.claims)
    @rule(pick=m.picks, what=cooled, chosen=lengths)
    def throttle_late(self, pick: int, what: tuple[Scope, str], chosen: int | None) -> None:
        """So does a run whose job is another's by now, or may be."""
        late = [one for one in self.claims.values() if self.is_of_another(one)] or list(self.claims.values())
        self.be_throttled(late[-1 - pick % len(late)], what, chosen)

    def is_of_another(self, claim: Claimed) -> bool:
        job = self.model.jobs.get(claim.seq)
        return bool(job and job.state is State.RUNNING and job.fence != claim.fence)

    def be_throttled(self, claim: Claimed, what: tuple[Scope, str], chosen: int | None) -> int:
        """For how long that cools down; a limit gives no token meanwhile."""
        cooling = self.do("throttle", *what, claim, rule=SHORT, chosen=chosen)
        self.tally.see("throttled" if cooling else "throttled in vain")
        self.look("cooldowns")
        if what[0] is Scope.LIMIT:
            self.do("take_token", LIMIT, waiter=None)
        return cooling.left if cooling else 0

    @rule(what=cooled)
    def end_cooldown(self, what: tuple[Scope, str]) -> None:
        for lasting in self.model.cooldowns()[:1]:
            what = (lasting.scope, lasting.name)
        self.tally.see("cool-downs ended", self.do("end_cooldown", *what))
        self.look("cooldowns")

    def do(self, name: str, *args: Any, **options: Any) -> Any:
        before = {job.seq for job in self.model.blocked()}
        answer = super().do(name, *args, **options)
        self.tally.see("blocked", len({job.seq for job in self.model.blocked()} - before))
        return answer
