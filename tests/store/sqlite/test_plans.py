"""How SQLite carries the statements out: none walks all jobs or all keys, however many are kept."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.places.place import SqlitePlace
from tests.store.stores import open_store
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.file import DatabaseFile
from windlass.store.sqlite.guards.wal_size import LARGE
from windlass.store.statement_files import load_calls

CALLS = load_calls("windlass.store.sqlite", prefix="windlass_")
RARE = {"queue_delete"}
"""What an operator does once."""
WALK = re.compile(r"^SCAN windlass_(job|key|event)$")
NUMBERS = {
    "now",
    "limit",
    "most",
    "number",
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
    "last_at",
    "last_seq",
}


def bound(text: str) -> dict[str, Any]:
    names = set(re.findall(r":([a-z_]+)", text))
    return {name: 5 if name in NUMBERS else "[]" for name in names}


def plan_of(text: str, folder: Path) -> list[str]:
    """The steps in which a new store would carry a statement out."""
    return [step for _, step in steps_of(text, folder)]


def steps_of(text: str, folder: Path) -> list[tuple[int, str]]:
    """The same, each with the number of the query that it is a part of."""
    place = SqlitePlace(folder / "jobs.db")
    with open_store(place) as store:
        store.count()
        connection = apsw.Connection(str(place.path))
        plan = [(row[1], row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", bound(text))]
        connection.close()
    return plan


@pytest.mark.parametrize("call", sorted(set(CALLS) - RARE))
def test_no_statement_walks_a_whole_table(tmp_path: Path, call: str) -> None:
    """A13: a backlog or an archive of a million jobs slows nothing down (S10)."""
    place = SqlitePlace(tmp_path / "jobs.db")
    with open_store(place) as store:
        store.count()
        connection = apsw.Connection(str(place.path))
        for statement in CALLS[call]:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", bound(statement.text))]
            assert not [step for step in plan if WALK.match(step)], statement.text
        connection.close()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("cycle", "claim a suspect"),
        ("cycle", "claim by key"),
        ("cycle", "claim by key and rate"),
        ("cycle", "claim first"),
        ("cycle", "claim"),
        ("cycle", "claim within limits"),
        ("manual_claim", "take"),
        ("manual_claim", "take by key"),
        ("peek", ""),
    ],
)
def test_the_next_jobs_are_read_from_the_index_in_their_order(tmp_path: Path, call: str, name: str) -> None:
    """B3: nothing is sorted, so a claim costs the same however many jobs wait."""
    [text] = [statement.text for statement in CALLS[call] if statement.name == name]
    steps = steps_of(text, tmp_path)
    walks = {parent for parent, step in steps if "windlass_job_ready (queue=?" in step}
    assert walks
    # What two walks gave is merged, no more of each than is asked for; the walks themselves give their jobs in order.
    assert not [step for parent, step in steps if parent in walks and "ORDER BY" in step]


@pytest.mark.parametrize("index", ["windlass_job_ready (queue=?", "windlass_job_waiting (queue=?"])
def test_a_limited_queue_is_counted_by_itself(tmp_path: Path, index: str) -> None:
    """B2: beside a million jobs that other queues have put off, an enqueue counts its own queue only."""
    [text] = [statement.text for statement in CALLS["enqueue"] if statement.gives == "full"]
    plan = plan_of(text, tmp_path)
    assert [step for step in plan if f"COVERING INDEX {index}" in step], plan


@pytest.mark.parametrize("call", ["retention_position", "prunable", "prune_oldest"])
def test_retention_walks_a_part_of_its_index(tmp_path: Path, call: str) -> None:
    """A13: from one position on, not from the end of all that is kept."""
    [text] = [statement.text for statement in CALLS[call] if "ORDER BY finished_at" in statement.text]
    plan = plan_of(text, tmp_path)
    index = (
        r"^SEARCH windlass_job USING (COVERING )?INDEX windlass_job_finished \(state=\? AND queue=\? AND .*finished_at"
    )
    assert [step for step in plan if re.match(index, step)], plan


@pytest.mark.parametrize(
    ("call", "index"),
    [("counts", "windlass_job_ready"), ("counts", "windlass_job_waiting"), ("depth", "windlass_job_ready")],
)
def test_jobs_that_wait_are_counted_from_their_index(tmp_path: Path, call: str, index: str) -> None:
    """A5, B5: none of them is read."""
    [statement] = CALLS[call]
    assert f"SCAN windlass_job USING COVERING INDEX {index}" in plan_of(statement.text, tmp_path)


@pytest.mark.parametrize("call", ["counts_up_to", "oldest"])
def test_what_pages_ask_for_takes_a_step_into_an_index_for_each_queue(tmp_path: Path, call: str) -> None:
    """B20: no job but a suspect is read, and all of an index only where they are those that run."""
    [statement] = CALLS[call]
    steps = plan_of(statement.text, tmp_path)
    reads = [step for step in steps if re.match(r"(SCAN|SEARCH) (windlass_)?job\b", step)]
    assert reads
    served = r"COVERING INDEX windlass_job_(held$|\w+ \(.*queue=\?)|INDEX windlass_job_suspect \(queue=\?"
    assert not [step for step in reads if not re.search(served, step)]


def test_running_jobs_are_listed_from_their_index(tmp_path: Path) -> None:
    """B19: not by a walk through all that are newer."""
    reading = [statement for statement in CALLS["page"] if statement.gives is not None]
    assert len(reading) == 3
    for statement in reading:
        plan = plan_of(statement.text, tmp_path)
        assert any("COVERING INDEX windlass_job_held (lease>?)" in step for step in plan), plan


def test_cached_results_are_counted_and_ordered_from_their_index(tmp_path: Path) -> None:
    """B29: neither other keys that expire nor the rows of these are read."""
    for statement in CALLS["tidy_cache"]:
        plan = plan_of(statement.text, tmp_path)
        reads = [step for step in plan if "windlass_key_cached" in step]
        assert len(reads) == 1, plan
        assert "COVERING INDEX" in reads[0]
        assert not any("windlass_key_expiry" in step for step in plan)


def instruction_names(text: str, folder: Path) -> list[str]:
    """What SQLite does for a statement, instruction by instruction, as on a connection of ours."""
    with closing(DatabaseFile(Address(str(folder / "jobs.db")), deadline=1, large_log=LARGE).connect()) as connection:
        return [str(row[1]) for row in connection.run(f"EXPLAIN {text}", bound(text))]


def test_plain_jobs_are_removed_as_their_index_is_walked(tmp_path: Path) -> None:
    """A13: SQLite finds them once. With a subquery or a trigger it would gather them first and find each again; with a
    function, which might fail half-way, it would copy each page that it changes.
    """
    with open_store(SqlitePlace(tmp_path / "jobs.db")) as store:
        store.count()
        [plain] = [statement.text for statement in CALLS["prune_oldest"] if statement.name == "plain"]
        names = instruction_names(plain, tmp_path)
    assert names.count("Delete") == 2  # of the row, and of its entry in the index that is walked
    slow = {"RowSetAdd", "RowSetTest", "RowSetRead", "Program", "OpenEphemeral", "Function", "PureFunc"}
    assert not slow & set(names)


@pytest.mark.parametrize("call", ["enqueue", "append", "cycle", "rescue", "promote", "prune_oldest"])
def test_no_list_is_built_for_each_row_that_is_written(tmp_path: Path, call: str) -> None:
    """Conditions of indexes name states one by one: of more than two values SQLite makes a list, anew for each row."""
    with open_store(SqlitePlace(tmp_path / "jobs.db")) as store:
        store.count()
        for statement in CALLS[call]:
            names = instruction_names(statement.text, tmp_path)
            built = [
                place
                for place in range(1, len(names) - 2)
                if names[place : place + 3] == ["OpenEphemeral", "String8", "MakeRecord"] and names[place - 1] != "Once"
            ]
            assert not built, statement.text


@pytest.mark.parametrize("name", ["limited", "uncount completed", "uncount ended", "count claimed", "limits"])
def test_a_cycle_looks_up_the_limits_of_its_own_queues(tmp_path: Path, name: str) -> None:
    """C3: it takes as many steps beside a thousand limited queues as beside none."""
    [text] = [statement.text for statement in CALLS["cycle"] if statement.name == name]
    place = SqlitePlace(tmp_path / "jobs.db")
    with open_store(place) as store:
        store.count()
        connection = apsw.Connection(str(place.path))
        values = {**bound(text), "ended_in": '["mail"]', "requests": '[["mail", 10]]'}
        before = instructions_of(text, values, connection)
        for number in range(1000):
            row = {"name": f"q{number}"}
            connection.execute("INSERT INTO windlass_gate (name, max_running, running) VALUES (:name, 1, 0)", row)
        assert instructions_of(text, values, connection) < before + 100
        connection.close()


def instructions_of(text: str, values: dict[str, Any], connection: apsw.Connection) -> int:
    """How many instructions SQLite needs for a statement."""
    taken = 0

    def count() -> bool:
        nonlocal taken
        taken += 1
        return False

    connection.set_progress_handler(count, 1)
    try:
        list(connection.execute(text, {name: value for name, value in values.items() if f":{name}" in text}))
    finally:
        connection.set_progress_handler(None)
    return taken
