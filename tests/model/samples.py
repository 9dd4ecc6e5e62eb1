"""What random histories are made of: few names, so that they meet, and times at which something is just over."""

from __future__ import annotations

from typing import Literal, get_args

from hypothesis import strategies as st

from tests.manual_clock import START
from windlass.core.fault import Fault
from windlass.core.outcome import Cancelled, FailedPermanently, Interrupted, Lost, Outcome, Postponed, Raised, Returned

LEASE = 30_000
HOUR = 3_600_000

QUEUES = ("mail", "bulk")
WORKERS = ("w1", "w2")
BY_HAND = "hand"
"""Who makes manual claims."""
WINDOWS = {"started": None, "finished": None, "window": LEASE}
"""How long a unique key is held, by its kind."""

_FAULT = Fault(at=START, attempt=1, worker="w", type="Boom", message="boom")
OUTCOMES: dict[str, Outcome] = {
    "returned": Returned("1"),
    "raised": Raised(_FAULT),
    "raised, at once": Raised(_FAULT, delay=0),
    "timed out": Raised(_FAULT, is_timeout=True),
    "refused": FailedPermanently(_FAULT, "permanent"),
    "refused unread": FailedPermanently(_FAULT, "undecodable", is_run=False),
    "snoozed": Postponed(LEASE),
    "unknown": Postponed(1, "unknown_task"),
    "interrupted": Interrupted(),
    "cancelled": Cancelled(),
    "child lost": Lost(True, _FAULT),
}

PUT_BACK = {"interrupted", "child lost"}
"""After these a job is pending again at once."""

When = tuple[int, int | None]
"""A delay, or an instant as an offset from now."""

Limits = tuple[int, int | None]
"""How many attempts a job has, and within which time it has to start."""

Load = tuple[int, int, int]
"""How many jobs have ended, how many have begun, and the room for more in each queue."""

KeyPair = tuple[str | None, str | None]
Change = Literal[
    "inspect",
    "tidy",
    "pause",
    "resume",
    "pause all",
    "resume all",
    "limit",
    "unlimit",
    "limit running",
    "unlimit running",
    "limit all running",
    "unlimit all running",
]

_CHANGES: list[Change] = list(get_args(Change))
_WHENS: list[When] = [(0, None), (0, None), (0, None), (1, None), (LEASE, None), (0, -HOUR), (0, 1), (0, LEASE)]
_KEY_PAIRS: list[KeyPair] = [("k", "l"), ("k", "k"), ("l", "l"), (None, "k"), (None, None)]
_LOADS: list[Load] = [(ended, begun, room) for ended in range(3) for begun in range(3) for room in (3, 1, 0)]

queues = st.sampled_from(QUEUES)
other_queues = st.sampled_from([None, *QUEUES])
ids = st.sampled_from(["a", "b"])
own_ids = st.sampled_from([None, "a", "b"])
tasks = st.sampled_from(["t", "t", "t", "u"])
key_pairs = st.sampled_from(_KEY_PAIRS)
kinds = st.sampled_from(["started", "finished", "window", "window"])
workers = st.sampled_from(WORKERS)
owners = st.sampled_from([*WORKERS, BY_HAND])
successors = st.sampled_from([None, *WORKERS, BY_HAND])
priorities = st.sampled_from([0, 0, 1, -1])
limits = st.tuples(st.sampled_from([4, 4, 1, 2]), st.sampled_from([None, None, 1, LEASE]))
whens = st.sampled_from(_WHENS)
jumps = st.sampled_from([0, 1, LEASE - 1, LEASE, LEASE + 1, HOUR, 25 * HOUR, -HOUR])
loads = st.sampled_from(_LOADS)
outcomes = st.sampled_from(sorted(OUTCOMES))
fates = st.sampled_from(["answered", "answered", "reply lost", "request lost"])
hands = st.sampled_from(["end", "extend", "wait"])
writes = st.sampled_from(["end", "end", "mark", "extend", "progress"])
changes = st.sampled_from(_CHANGES)
few = st.integers(0, 2)
picks = st.integers(0, 63)
flags = st.booleans()
