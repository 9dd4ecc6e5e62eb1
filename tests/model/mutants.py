"""Plants bugs and tells how long the model test takes to find each: ``python -m tests.model.mutants [name ...]``.

Not part of the tests: it is run by hand after changes to the model test or to the statements, whose words it replaces.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any
from unittest import mock

from hypothesis import Phase
from msgspec.structs import replace

from tests.model.histories import fresh_stores, run_histories
from tests.model.side_by_side import Clock
from tests.model.tally import Tally
from windlass.core.decide import decide
from windlass.store.driver import Driver
from windlass.store.sqlite import schema
from windlass.store.statements import Statement

STEPS = 20_000
"""What CI takes; a bug that this many steps do not find counts as not found."""

SEEDS = (1, 10_001, 20_001)

Calls = Mapping[str, Sequence[Statement]]
Edit = tuple[str, str, str]
"""The call, the words, what stands in their place; in each of the call's statements that has them."""

IN_TIME = "renewed_at - ttl <= :now AND :now < renewed_at + ttl"
FINISHED = "AND windlass_job.state IN ('completed', 'failed', 'cancelled')"

SIX: dict[str, list[Edit]] = {
    "fence missing in finish": [
        ("cycle", "AND windlass_job.fence = ending.fence", ""),
        ("cycle", "AND windlass_job.fence = run.value ->> 1", ""),
    ],
    "attempt off by one": [],
    "rescue too early": [
        ("expired", IN_TIME, f"{IN_TIME} - 1"),
        ("rescue", IN_TIME, f"{IN_TIME} - 1"),
    ],
    "unique released too soon": [("cycle", FINISHED, "")],
    "priority order reversed": [("cycle", "ORDER BY priority DESC, seq LIMIT", "ORDER BY priority, seq LIMIT")],
    "seq reused": [],
}
MORE: dict[str, list[Edit]] = {
    "fence missing in mark": [("cycle", "AND fence = mark.value ->> 1", "")],
    "fence missing in progress": [("progress", "AND fence = :fence", "")],
    "fence missing in extend": [("extend", "AND fence = :fence", "")],
    "fence not raised by a claim": [("cycle", "fence = fence + 1", "fence = fence")],
    "fence not raised by a claim by hand": [("claim", "fence = fence + 1,", "fence = fence,")],
    "fence not raised by rescue": [("rescue", "fence = windlass_job.fence + 1", "fence = windlass_job.fence")],
    "ended twice": [
        ("cycle", "AND windlass_job.fence = ending.fence AND windlass_job.state = 'running'", ""),
        ("cycle", "AND windlass_job.fence = run.value ->> 1 AND windlass_job.state = 'running'", ""),
    ],
    "attempt charged at the claim": [("cycle", "fence = fence + 1,", "fence = fence + 1, attempt = attempt + 1,")],
    "attempt kept by retry": [("retry", "attempt = 0, ", "")],
    "cancel request forgotten": [("cycle", "cancel_requested_at IS NULL OR", "true OR")],
    "cancel request forgotten by rescue": [("rescue", "cancel_requested_at IS NULL", "true")],
    "cancelled job keeps its key": [("cancel", "DELETE FROM windlass_key WHERE", "DELETE FROM windlass_key WHERE false AND")],
    "deleted job keeps its key": [("delete", "DELETE FROM windlass_key WHERE", "DELETE FROM windlass_key WHERE false AND")],
    "window ended by the job": [("cycle", "until <> 'window' AND", "")],
    "window one too long": [("enqueue", "expires_at <= :now", "expires_at < :now")],
    "started key held until finished": [("enqueue", "(until <> 'started' OR fence = 0)", "true")],
    "key taken in spite of retry": [("retry", "AND NOT EXISTS (\n    SELECT 1 FROM windlass_key JOIN", "AND true OR NOT EXISTS (\n    SELECT 1 FROM windlass_key JOIN")],
    "claim under a lease that is over": [("cycle", f"AND {IN_TIME}", "")],
    "clock that steps back holds a lease": [
        ("expired", "renewed_at - ttl <= :now AND", ""),
        ("rescue", "renewed_at - ttl <= :now AND", ""),
    ],
    "rescue one late": [
        ("expired", ":now < renewed_at + ttl", ":now <= renewed_at + ttl"),
        ("rescue", ":now < renewed_at + ttl", ":now <= renewed_at + ttl"),
    ],
    "renewed since the look, rescued all the same": [
        ("rescue", f"AND NOT ({IN_TIME})", ""),
    ],
    "lost lease renewed": [("renew", "AND state = 'open'", "")],
    "pause ignored": [("cycle", "AND NOT EXISTS (SELECT 1 FROM windlass_queue", "AND true OR EXISTS (SELECT 1 FROM windlass_queue")],
    "promoted too early": [("promote", "run_at <= :now", "run_at <= :now + 1")],
    "repeated claim by hand takes more": [("claim", "lease >= :token || ':' AND lease < :token || ';')))", "false)))")],
    "queue one too long": [("enqueue", "waiting + added > max_length", "waiting + added > max_length + 1")],
    "refusal leaves no event": [("refused", "AND fence <> refused.value ->> 1", "AND false")],
}
