"""How PostgreSQL carries the prepared statements out: none walks all jobs, however many there are.

A prepared statement is planned once, without a look at the values, and that plan is used until statistics change. So
what counts is the plan without values: with statistics, without any, and one that was made when the tables were empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.places.place import wipe_postgres
from windlass.store.open import open_driver
from windlass.store.postgres.statements import Statement, statements

JOBS = 100_000
CALLS = statements("windlass")
COUNTING = {"busy_keys", "counts", "depth", "drifted_keys", "drifted_limits", "queue_delete"}
COUNTING |= {"check_counts", "repair_counts", "repair_jobs"}
"""Calls that count or sift whole tables; asked for by people or by the leader, not with every job."""
UNPLANNED = {"vacuum_due", "vacuum_ready", "vacuum_running", "vacuum_tally"}
FORMS = [(name, number) for name in sorted(set(CALLS) - COUNTING - UNPLANNED) for number in range(len(CALLS[name]))]
HOT = {
    "append", "control", "cycle", "enqueue", "expired", "extend", "jobs_by_id", "manual_claim", "progress",
    "promote", "prunable", "prune", "prune_oldest", "record_stale_writes", "renew", "rescue", "next_due",
}  # fmt: skip
"""Calls that come so often that they cannot wait for the first ANALYZE after the first jobs."""
HOT_FORMS = [form for form in FORMS if form[0] in HOT]
BIG = {"job", "ready", "due", "blocked", "running", "finished", "key", "event", "edge"}

# A fifth of the jobs stands in each table; every job has a key and an event, every second one has to start in time.
# Every finished one waited for the one before. As many more are blocked at one concurrency key.
FILLED = """
    INSERT INTO job (id, task, queue, waiting, payload, max_attempts, run_at, created_at, unique_key)
        SELECT 'id' || n, 'task' || n % 10, 'queue' || n % 10, 'pending', repeat('x', 100), 4, n, n, 'key' || n
        FROM generate_series(1, {jobs}) AS n;
    INSERT INTO ready (seq, since, priority, queue, start_by)
        SELECT seq, run_at, 0, queue, CASE seq % 2 WHEN 0 THEN run_at END FROM job WHERE seq % 5 = 0;
    INSERT INTO due (seq, run_at, state, queue, start_by)
        SELECT seq, run_at, 'scheduled', queue, CASE seq % 2 WHEN 0 THEN run_at END FROM job WHERE seq % 5 = 1;
    INSERT INTO running (seq, fence, claimed_at, attempt, crashes, rescues, queue, lease, claim, worker)
        SELECT seq, 1, 1, 0, 0, 0, queue, 'lease' || seq % 100, 'claim' || seq % 1000, 'worker' FROM job
        WHERE seq % 5 = 2;
    INSERT INTO finished (seq, fence, finished_at, attempt, crashes, rescues, state, queue)
        SELECT seq, 1, run_at, 1, 0, 0, CASE seq % 10 WHEN 3 THEN 'completed' ELSE 'failed' END, queue FROM job
        WHERE seq % 5 > 2;
    INSERT INTO blocked (seq, since, priority, queue, gate)
        SELECT {jobs} + n, n, 0, 'queue1', 'task1' || chr(10) || 'busy' FROM generate_series(1, {jobs}) AS n;
    INSERT INTO key_gate (name, running, granted, most) SELECT 'task1' || chr(10) || 'busy', 1, 1, 1;
    INSERT INTO key (key, id, until) SELECT unique_key, id, 'finished' FROM job;
    INSERT INTO event (seq, at, kind) SELECT seq, 1, 'rescued' FROM job;
    INSERT INTO edge (child, parent, place, state, policy)
        SELECT seq, seq - 1, 0, 2, 'cancel' FROM job WHERE seq % 5 > 2;
"""


Form = tuple[str, int]
Plan = dict[str, Any]


class Tables:
    """A schema of its own whose statistics change only when the test says so."""

    def __init__(self, connection: psycopg.Connection[Any], schema: str) -> None:
        self._connection = connection
        self._schema = schema
        self.run("SET plan_cache_mode = force_generic_plan")
        self.run(SQL("SET search_path = {}").format(Identifier(schema)))
        for table in BIG:
            self.run(SQL("ALTER TABLE {} SET (autovacuum_enabled = off)").format(Identifier(table)))

    def fill(self) -> None:
        self.run(FILLED.format(jobs=JOBS))

    def name_queues(self) -> None:
        self.run("INSERT INTO queue (name) SELECT 'queue' || n FROM generate_series(0, 9) AS n")

    def analyse(self) -> None:
        self.run("ANALYZE")

    def prepare(self, forms: list[Form]) -> None:
        """Prepare statements anew and have them planned, once for all."""
        self.run("DEALLOCATE ALL")
        for call, number in forms:
            self.run(f"PREPARE {call}_{number} AS {self._statement(call, number).text.decode()}")
            self._plan(call, number)

    def plans(self, forms: list[Form]) -> dict[Form, Plan]:
        return {form: self._plan(*form) for form in forms}

    def explain(self, statement: str) -> Plan:
        [[[plan]]] = self.run(f"EXPLAIN (FORMAT JSON) {statement}").fetchall()
        found: Plan = plan["Plan"]
        return found

    def explain_analysed(self, statement: str) -> Plan:
        [[[plan]]] = self.run(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}").fetchall()
        found: Plan = plan["Plan"]
        return found

    def _plan(self, call: str, number: int) -> Plan:
        nulls = ", ".join("NULL" for _ in self._statement(call, number).names)
        return self.explain(f"EXECUTE {call}_{number} ({nulls})" if nulls else f"EXECUTE {call}_{number}")

    def _statement(self, call: str, number: int) -> Statement:
        return statements(self._schema)[call][number]

    def run(self, code: Any) -> psycopg.Cursor[Any]:
        return self._connection.execute(code, prepare=False)


@contextmanager
def tables(dsn: str) -> Iterator[Tables]:
    schema = f"plans_{uuid4().hex[:16]}"
    with closing(open_driver(dsn, namespace=schema)) as driver:
        driver.migrate()
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            yield Tables(connection, schema)
    finally:
        wipe_postgres(dsn, schema)


@pytest.fixture(scope="module")
def plans(postgres_dsn: str) -> dict[str, dict[Form, Plan]]:
    """What is planned for many jobs: before there were any, without statistics, and with them."""
    with tables(postgres_dsn) as found:
        found.prepare(HOT_FORMS)
        found.fill()
        first_day = found.plans(HOT_FORMS)
        found.prepare(FORMS)
        never_analysed = found.plans(FORMS)
        found.analyse()
        found.prepare(FORMS)
        return {"first day": first_day, "never analysed": never_analysed, "analysed": found.plans(FORMS)}


def named(form: Form) -> str:
    return f"{form[0]}-{form[1]}"


def walks(step: Plan, *, bounded: bool = False) -> Iterator[str]:
    """The steps of a plan that read all of a big table: no condition leads into it, and no limit ends it."""
    bounded = bounded or step["Node Type"] == "Limit"
    table = step.get("Relation Name")
    if table in BIG and not bounded:
        if step["Node Type"] == "Seq Scan":
            yield f"Seq Scan on {table}"
        elif re.match("Index (Only )?Scan", step["Node Type"]) and "Index Cond" not in step:
            yield f"{step['Node Type']} on {table} without a condition"
    for inner in step.get("Plans", ()):
        yield from walks(inner, bounded=bounded)


@pytest.mark.parametrize("when", ["analysed", "never analysed"])
@pytest.mark.parametrize("form", FORMS, ids=named)
def test_no_statement_walks_a_whole_table(plans: dict[str, dict[Form, Plan]], form: Form, when: str) -> None:
    """A13: a backlog or an archive of a million jobs slows nothing down (S10)."""
    assert list(walks(plans[when][form])) == []


@pytest.mark.parametrize("form", HOT_FORMS, ids=named)
def test_no_plan_from_the_first_day_walks_a_whole_table(plans: dict[str, dict[Form, Plan]], form: Form) -> None:
    """A13: nor does a worker that was started on an empty store."""
    assert list(walks(plans["first day"][form])) == []


def sorted_tables(step: Plan, *, is_sorted: bool = False) -> Iterator[str]:
    """The tables whose rows are sorted after they were read."""
    is_sorted = is_sorted or step["Node Type"] in ("Sort", "Incremental Sort")
    if is_sorted and "Relation Name" in step:
        yield step["Relation Name"]
    for inner in step.get("Plans", ()):
        yield from sorted_tables(inner, is_sorted=is_sorted)


CLAIMS = [form for form in HOT_FORMS if form[0] in ("cycle", "manual_claim")]


@pytest.mark.parametrize("when", ["analysed", "never analysed", "first day"])
@pytest.mark.parametrize("form", CLAIMS, ids=named)
def test_the_next_jobs_are_read_from_the_index_in_their_order(
    plans: dict[str, dict[Form, Plan]], form: Form, when: str
) -> None:
    """B3: ready jobs are not sorted, so a claim costs the same however many wait."""
    assert "ready" not in list(sorted_tables(plans[when][form]))


def test_a_sort_would_be_noticed(postgres_dsn: str) -> None:
    with tables(postgres_dsn) as found:
        plan = found.explain("SELECT seq FROM ready WHERE queue = 'a' ORDER BY priority DESC, seq LIMIT 5")
    assert list(sorted_tables(plan)) == ["ready"]


def test_a_walk_would_be_noticed(postgres_dsn: str) -> None:
    with tables(postgres_dsn) as found:
        plan = found.explain("SELECT count(*) FROM job JOIN finished USING (seq)")
    assert sorted(walks(plan)) == ["Seq Scan on finished", "Seq Scan on job"]


def test_a_page_of_retention_reads_no_more_than_it_gives(postgres_dsn: str) -> None:
    """A13: however many jobs are kept, and however many have gone already."""
    with tables(postgres_dsn) as found:
        found.fill()
        found.analyse()
        found.prepare([("prunable", 0)])
        values = {"queue": "'queue3'", "state": "'completed'", "age": "0", "limit": "50", "after_at": "5000"}
        names = found._statement("prunable", 0).names
        given = ", ".join(values.get(name, "0") if name != "now" else "1000000" for name in names)
        plan = found.explain_analysed(f"EXECUTE prunable_0 ({given})")
    rows = [
        step["Actual Rows"] * step["Actual Loops"] for step in steps(plan) if step.get("Relation Name") == "finished"
    ]
    assert rows
    assert max(rows) <= 50


def test_pages_count_no_more_jobs_than_they_are_to(postgres_dsn: str) -> None:
    """B20: however many there are."""
    with tables(postgres_dsn) as found:
        found.fill()
        found.name_queues()
        found.analyse()
        found.prepare([("counts_up_to", 0)])
        plan = found.explain_analysed("EXECUTE counts_up_to_0 (200)")
    rows = {step["Relation Name"]: step["Actual Rows"] for step in steps(plan) if "Relation Name" in step}
    assert 0 < rows["ready"] <= 21, "of each queue"
    assert (rows["due"], rows["blocked"]) == (201, 201)


def test_the_oldest_job_of_each_queue_is_found_in_a_few_steps(postgres_dsn: str) -> None:
    """B20: one for each priority, however many wait."""
    with tables(postgres_dsn) as found:
        found.fill()
        found.name_queues()
        found.analyse()
        found.prepare([("oldest", 0)])
        plan = found.explain_analysed("EXECUTE oldest_0 (1000000)")
    rows = [step["Actual Rows"] for step in steps(plan) if step.get("Relation Name") == "ready"]
    assert rows
    assert max(rows) <= 1


def steps(step: Plan) -> Iterator[Plan]:
    yield step
    for inner in step.get("Plans", ()):
        yield from steps(inner)
