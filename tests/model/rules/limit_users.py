"""Callers that take tokens of a named limit, wait for them or give up, and operators that set it up."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.manual_clock import move
from tests.model.rules.actors import Cast
from tests.model.rules.traffic import LIMIT
from tests.model.samples import HOUR, LEASE
from windlass.core.rates.rate import Rate
from windlass.store.operations.rates.limits import LimitSeed, TakeResult

_RATES = [Rate(1, 20_011, 2), Rate(3, 60_000, 3)]

waiters = st.sampled_from([None, "a", "b", "c"])
ways = st.sampled_from(["seed", "seed", "change", "burst", "drain", "drain", "remove"])
rates = st.sampled_from(_RATES)
jumps = st.sampled_from([0, 1, LEASE, -HOUR])


class LimitUsers(Cast):
    """One limit, so that its line is long."""

    @initialize()
    def set_up_limit(self) -> None:
        self.do("ensure_limit", _seed(_RATES[0]))

    @rule(waiter=waiters, other=waiters)
    def take_tokens(self, waiter: str | None, other: str | None) -> None:
        self.ask_token(waiter)
        self.ask_token(other)
        self.look("limit_states")

    def ask_token(self, waiter: str | None) -> TakeResult | None:
        result: TakeResult | None = self.do("take_token", LIMIT, waiter=waiter)
        self.tally.see("tokens taken" if result and result.is_taken else "tokens waited for")
        return result

    @rule(waiter=waiters, jump=jumps)
    def come_again(self, waiter: str | None, jump: int) -> None:
        """A caller finds nothing, and comes again when it is its turn; meanwhile the clock may have been set back."""
        self.do("drain", LIMIT)
        move(self.clock, jump)
        result = self.ask_token(waiter)
        move(self.clock, result.due_in if result else 0)
        self.ask_token(waiter)
        self.look("limit_states")

    @rule(waiter=waiters)
    def give_up(self, waiter: str | None) -> None:
        self.do("leave_line", LIMIT, waiter=waiter or "d")
        self.look("limit_states")

    @rule(way=ways, rate=rates)
    def set_limit(self, way: str, rate: Rate) -> None:
        match way:
            case "seed":
                self.do("ensure_limit", _seed(rate))
            case "change":
                self.do("change_limit", LIMIT, rate=rate, burst=rate.burst)
            case "burst":
                self.do("change_limit", LIMIT, rate=None, burst=1)
            case "drain":
                self.tally.see("buckets drained", self.do("drain", LIMIT))
            case _:
                self.do("remove_limit", LIMIT)
        self.look("limit_states")


def _seed(rate: Rate) -> LimitSeed:
    return LimitSeed(LIMIT, rate.amount, rate.period, rate.burst)
