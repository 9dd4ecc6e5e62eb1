"""How SQLite carries the statements out: none walks all jobs or all keys, however many are kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.store.places import SqlitePlace
from tests.store.sqlite.opened import opened
from windlass.store.statements import load_calls

CALLS = load_calls("windlass.store.sqlite.calls", prefix="windlass_")
RARE = {"queue_delete"}
"""What an operator does once."""
WALK = re.compile(r"^SCAN windlass_(job|key|event)$")
NUMBERS = {
    "now",
    "limit",
    "room",
    "keep",
    "age",
    "cursor",
    "window",
    "ttl",
    "seq",
    "fence",
    "delay",
    "at",
    "term",
    "skip",
    "bytes",
    "beyond_at",
    "beyond_seq",
    "after_at",
    "after_seq",
}


def bound(text: str) -> dict[str, Any]:
    names = set(re.findall(r":([a-z_]+)", text))
    return {name: 5 if name in NUMBERS else "[]" for name in names}


@pytest.mark.parametrize("call", sorted(set(CALLS) - RARE))
def test_no_statement_walks_a_whole_table(tmp_path: Path, call: str) -> None:
    """A13: a backlog or an archive of a million jobs slows nothing down (S10)."""
    place = SqlitePlace(tmp_path / "jobs.db")
    with opened(place) as store:
        store.count()
        connection = apsw.Connection(str(place.path))
        for statement in CALLS[call]:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", bound(statement.text))]
            assert not [step for step in plan if WALK.match(step)], statement.text
        connection.close()


@pytest.mark.parametrize(("call", "number"), [("cycle", 9), ("claim", 1), ("peek", 1)])
def test_the_next_jobs_are_read_from_the_index_in_their_order(tmp_path: Path, call: str, number: int) -> None:
    """B3: nothing is sorted, so a claim costs the same however many jobs wait."""
    place = SqlitePlace(tmp_path / "jobs.db")
    with opened(place) as store:
        store.count()
        text = CALLS[call][number - 1].text
        connection = apsw.Connection(str(place.path))
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", bound(text))]
        connection.close()
    assert [step for step in plan if "windlass_job_ready (queue=?)" in step]
    assert not [step for step in plan if "ORDER BY" in step]


@pytest.mark.parametrize("index", ["windlass_job_ready (queue=?)", "windlass_job_waiting (queue=?)"])
def test_a_limited_queue_is_counted_by_itself(tmp_path: Path, index: str) -> None:
    """B2: beside a million jobs that other queues have put off, an enqueue counts its own queue only."""
    place = SqlitePlace(tmp_path / "jobs.db")
    with opened(place) as store:
        store.count()
        [text] = [statement.text for statement in CALLS["enqueue"] if statement.gives == "full"]
        connection = apsw.Connection(str(place.path))
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", bound(text))]
        connection.close()
    assert [step for step in plan if index in step], plan


@pytest.mark.parametrize("call", ["beyond", "prunable"])
def test_retention_walks_a_part_of_its_index(tmp_path: Path, call: str) -> None:
    """A13: from one position on, not from the end of all that is kept."""
    place = SqlitePlace(tmp_path / "jobs.db")
    with opened(place) as store:
        store.count()
        connection = apsw.Connection(str(place.path))
        [statement] = CALLS[call]
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", bound(statement.text))]
        connection.close()
    index = (
        r"^SEARCH windlass_job USING (COVERING )?INDEX windlass_job_finished \(state=\? AND queue=\? AND .*finished_at"
    )
    assert re.match(index, plan[0]), plan
