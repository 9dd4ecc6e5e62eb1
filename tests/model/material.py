"""What random histories are made of: few names, so that they meet, and times at which something is just over."""

from __future__ import annotations

from hypothesis import strategies as st

from windlass.core.fault import Fault
from windlass.core.outcome import Cancelled, Interrupted, Lost, Outcome, Postponed, Raised, Refused, Returned

START = 1_700_000_000_000
LEASE = 30_000
HOUR = 3_600_000

QUEUES = ("mail", "bulk")
BY_HAND = "hand"
"""Who claims by hand."""
WINDOWS = {"started": None, "finished": None, "window": LEASE}
"""How long a unique key is held, by its kind."""

_FAULT = Fault(at=START, attempt=1, worker="w", type="Boom", message="boom")
OUTCOMES: dict[str, Outcome] = {
    "returned": Returned("1"),
    "raised": Raised(_FAULT),
    "raised, at once": Raised(_FAULT, delay=0),
    "timed out": Raised(_FAULT, is_timeout=True),
    "refused": Refused(_FAULT, "permanent"),
    "refused unread": Refused(_FAULT, "undecodable", is_run=False),
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

queues = st.sampled_from(QUEUES)
other_queues = st.sampled_from([None, *QUEUES])
ids = st.sampled_from(["a", "b"])
own_ids = st.none() | ids
tasks = st.sampled_from(["t", "t", "t", "u"])
key_pairs = st.sampled_from([("k", "l"), ("k", "k"), ("l", "l"), (None, "k"), (None, None)])
kinds = st.sampled_from(sorted(WINDOWS))
workers = st.sampled_from(["w1", "w2"])
priorities = st.sampled_from([0, 0, 1, -1])
attempts = st.sampled_from([4, 4, 1, 2])
whens = st.sampled_from([(0, None), (0, None), (0, None), (1, None), (LEASE, None), (0, -HOUR), (0, 1), (0, LEASE)])
jumps = st.sampled_from([0, 1, LEASE - 1, LEASE, LEASE + 1, HOUR, 25 * HOUR, -HOUR])
rooms = st.sampled_from([3, 1, 0])
outcomes = st.sampled_from(sorted(OUTCOMES))
fates = st.sampled_from(["answered", "answered", "reply lost", "request lost"])
hands = st.sampled_from(["end", "extend", "wait"])
writes = st.sampled_from(["end", "end", "mark", "extend", "progress"])
changes = st.sampled_from(
    [
        ("inspect", None),
        ("tidy", None),
        ("pause", True),
        ("pause", False),
        ("pause all", True),
        ("pause all", False),
        ("limit", 3),
        ("limit", None),
    ]
)
few = st.integers(0, 2)
picks = st.integers(0, 63)
flags = st.booleans()
