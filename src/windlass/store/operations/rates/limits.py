"""Named limits: take tokens, wait for them, set them up."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windlass.core.rates.bucket import Bucket
from windlass.core.rates.rate import Rate, default_burst
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

MOST_WAITERS = 1000
"""So many callers have a place in the line of a limit; others find theirs later."""


class LimitRecord(Struct, frozen=True, array_like=True):
    """A limit as it is stored. The level is in units, of which a token has ``period``."""

    name: str
    amount: int
    period: int
    burst: int
    level: int
    filled_at: int
    waiting: int
    """How many callers wait for a token, or have snoozed until theirs is due; counted up to 1,000."""
    changed_at: int | None = None
    changed_by: str | None = None

    @property
    def rate(self) -> Rate:
        return Rate(self.amount, self.period, self.burst)

    def bucket(self, now: int) -> Bucket:
        """Its bucket at this instant."""
        return Bucket(self.rate, self.level, self.filled_at).filled(now)


class TakeResult(Struct, frozen=True, array_like=True):
    """Whether a token was taken; if not, in how many milliseconds it is the caller's turn."""

    is_taken: bool
    due_in: int
    ahead: int
    """How many callers that wait come first, counted up to 1,000."""


class LimitSeed(Struct, frozen=True, array_like=True):
    """What the code declares."""

    name: str
    amount: int
    period: int
    burst: int


def take(name: str, *, waiter: str | None = None) -> Operation[TakeResult | None]:
    """Take one token; None when there is no such limit.

    ``waiter`` names a caller that will come again: it keeps its place in line until 10 s after its turn, and has to be
    named again then. A repeat after no reply may take a second token, and never makes one.
    """
    answer = yield Call("limit_take", {"name": name, "waiter": waiter, "most": MOST_WAITERS})
    found = records(answer["taken"], TakeResult)
    return found[0] if found else None


def leave(name: str, *, waiter: str) -> Operation[None]:
    """Give up a place in line; a repeat changes nothing."""
    yield Call("limit_leave", {"name": name, "waiter": waiter})


def ensure(seeds: Sequence[LimitSeed]) -> Operation[None]:
    """Set limits up as the code declares them; those that an operator has changed stay. A repeat changes nothing."""
    yield Call("limit_ensure", {"limits": list(seeds)})


def change(name: str, *, rate: Rate | None, burst: int | None, by: str, seen: int | None = None) -> Operation[bool]:
    """Set the rate, the burst or both; false when there is no such limit and no rate to begin with, or when an operator
    has changed it since ``seen``, 0 for never (see ``queues.change``).

    The whole tokens that are there stay, as far as the new burst has room. A repeat changes nothing more.
    """
    answer = yield Call(
        "limit_change",
        {
            "name": name,
            "amount": None if rate is None else rate.amount,
            "period": None if rate is None else rate.period,
            "burst": burst,
            "first_burst": None if rate is None else default_burst(rate.amount, rate.period),
            "by": by,
            "seen": seen,
        },
    )
    return bool(answer["changed"])


def drain(name: str) -> Operation[bool]:
    """Empty the bucket; false when there is no such limit. A repeat empties it once more."""
    answer = yield Call("limit_drain", {"name": name})
    return bool(answer["drained"])


def remove(name: str) -> Operation[bool]:
    """Remove a limit with its line and its cool-down; false when there was none."""
    answer = yield Call("limit_delete", {"name": name})
    return bool(answer["deleted"])


def limits(name: str | None = None) -> Operation[tuple[list[LimitRecord], int]]:
    """One limit, or all by name; and the time by the store's clock."""
    answer = yield Call("limit_list", {"name": name, "most": MOST_WAITERS}, Lane.READ)
    return records(answer["limits"], LimitRecord), int(answer["now"][0][0])
