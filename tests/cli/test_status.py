"""``windlass status``."""

from __future__ import annotations

from itertools import pairwise

from tests.cli.program import Program
from tests.waiting import eventually
from windlass import State
from windlass.store.operations.events import record_store_events


def test_status_shows_store_counts_queues_and_what_needs_a_hand(shop: Program) -> None:
    """A5, C2: jobs that nobody serves are called out."""
    answer = shop("status")
    assert answer.code == 0
    assert str(shop.folder / "windlass.db") in answer.out
    assert "1 scheduled   2 pending   1 completed   1 failed" in answer.out
    assert "queue letters has jobs that are ready, but no worker serves it" in answer.out


def test_that_there_is_no_worker_is_said_once(shop: Program) -> None:
    lines = shop("status").out.splitlines()
    assert [line for line in lines if "no worker" in line and "serves" not in line] == ["no worker is alive"]
    assert not any(first == second == "" for first, second in pairwise(lines))


def test_status_in_json_has_every_state(shop: Program) -> None:
    """A5."""
    status = shop.json("status")
    assert status["counts"] == {str(state): 0 for state in State} | {
        "scheduled": 1,
        "pending": 2,
        "completed": 1,
        "failed": 1,
    }
    assert status["unserved"] == ["letters"]
    assert status["workers"] == []


def test_an_empty_store_is_no_problem(windlass: Program) -> None:
    answer = windlass("status")
    assert answer.code == 0
    assert "no jobs yet" in answer.out


def tell(windlass: Program, kind: str, *rows: tuple[str, str]) -> None:
    windlass.app.client.session.run(record_store_events(kind, rows))


def test_status_tells_what_was_noticed_lately(windlass: Program) -> None:
    """P5: a sentence for each kind, with when and by whom; lost jobs are summed up."""
    tell(windlass, "stepped", ("w1", '{"seconds":-3600.0}'), ("w2", '{"seconds":-3600.0}'))
    tell(windlass, "skewed", ("w1", '{"seconds":12.5}'))
    tell(windlass, "emptied", ("w1", "{}"))
    lost = [f'{{"seq":{seq},"queue":"mail","was":"pending"}}' for seq in (1, 2)]
    tell(windlass, "lost", *(("w1", detail) for detail in lost), ("w2", '{"seq":3,"queue":null,"was":"running"}'))
    tell(windlass, "cleaned", ("w1", '{"deleted":5}'))
    out = windlass("status").out.splitlines()
    lines = out[out.index("noticed within the last 24 hours:") + 1 : out.index("no worker is alive")]
    assert [line.partition(", ")[0].strip() for line in lines] == [
        "3 jobs lost their data; the last one was running",
        "the store lost all its jobs: it was emptied",
        "the clock of worker w1's host is 12.5 s ahead of the store's",
        "the store's clock was stepped by -3600.0 s",
    ]
    assert all(line.endswith(("now (told by w1)", "ago (told by w1)")) for line in lines[1:3])
    assert "noticed 2 times" in lines[3]
    found = windlass.json("status")["notices"]
    assert [(notice["kind"], notice["count"], notice["by"]) for notice in found] == [
        ("lost", 3, "w2"),
        ("emptied", 1, "w1"),
        ("skewed", 1, "w1"),
        ("stepped", 2, "w2"),
    ]
    assert found[0]["detail"] == {"seq": 3, "was": "running"}
    assert found[0]["text"] == "3 jobs lost their data; the last one was running"


def test_a_single_lost_job_is_told_with_its_queue(windlass: Program) -> None:
    """P5."""
    tell(windlass, "lost", ("w1", '{"seq":3,"queue":"mail","was":"completed"}'))
    assert "a job lost its data while it was completed in queue mail, " in windlass("status").out


def test_no_more_than_a_handful_of_notices_is_shown(windlass: Program) -> None:
    tell(windlass, "skewed", *((f"w{number}", '{"seconds":-7}') for number in range(8)))
    out = windlass("status").out
    assert out.count("behind the store's") == 5
    assert "and 3 more" in out
    assert len(windlass.json("status")["notices"]) == 8


def test_nothing_noticed_is_nothing_shown(windlass: Program) -> None:
    assert "noticed within" not in windlass("status").out
    assert windlass.json("status")["notices"] == []


def test_problems_are_told_and_checked(windlass: Program) -> None:
    """No worker, and jobs that are overdue: what an operator is woken for."""
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [1], delay=0.001)])
    eventually(lambda: windlass.app.overview().overdue is not None)
    assert windlass("status").code == 0
    answer = windlass("status", "--check", "--json")
    assert (answer.code, answer.error) == (1, "")
    problems = answer.json["problems"]
    assert "no worker is alive" in problems
    assert any("to be promoted" in problem and "`windlass duties`" in problem for problem in problems)
    assert "no worker is alive" in windlass.at_terminal("status").out


def test_a_store_that_is_served_passes_the_check(windlass: Program) -> None:
    with windlass.app.worker(["default"]):
        answer = windlass("status", "--check", "--json")
    assert (answer.code, answer.json["problems"]) == (0, [])


def test_unknown_tasks_are_told_and_checked(windlass: Program) -> None:
    """B31: by the next heartbeat of the worker that met their jobs."""
    windlass.app.enqueue("mail.goodbye")
    with windlass.app.worker(["default"], name="web", id="1", heartbeat="50ms"):
        eventually(lambda: windlass.app.overview().problems)
        answer = windlass("status", "--check")
        [worker] = windlass.json("workers", "list")["workers"]
    assert answer.code == 1
    assert "jobs of task 'mail.goodbye' wait: worker web-worker-1 met some and does not know it" in answer.out
    assert worker["unknown_tasks"] == ["mail.goodbye"]


def test_workers_without_duties_are_told_and_checked(windlass: Program) -> None:
    """A store whose workers all leave upkeep to others needs one that does it."""
    with windlass.start("worker", "--no-duties", "--json") as worker:
        worker.wait_for('"concurrency"')
        answer = windlass("status", "--check")
        [shown] = windlass.json("workers", "list")["workers"]
    assert (answer.code, shown["duties"]) == (1, False)
    assert "no process promotes jobs that are due or rescues those of workers that die" in answer.out
