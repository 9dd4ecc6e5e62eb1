"""One program, alone or as many replicas: what it says and does is the same on every store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Program
from tests.places.place import Place
from tests.slow_shutdown import unhurried
from tests.waiting import PATIENCE, eventually
from windlass import Job, JobFailed, State, Windlass

PROGRAM = """
from windlass import Retry, Windlass

app = Windlass(namespace="{namespace}")  # the store comes from the environment


@app.task(name="double", queue="sums", retry=Retry(attempts=1))
def double(number: int) -> int:
    if number < 0:
        raise ValueError("below zero")
    return 2 * number
"""


@pytest.fixture
def program(tmp_path: Path, place: Place) -> Iterator[Program]:
    """The program in a folder of its own; it names no store."""
    made = Program(tmp_path, place)
    made.write("jobs.py", PROGRAM.format(namespace=place.namespace))
    yield made
    made.app.close(wait=False)


def told(program: Program, *commands: list[str]) -> list[Any]:
    """What commands that must succeed say with ``--json``, one after the other."""
    answers = program.many(*([*command, "--json"] for command in commands))
    assert {(answer.code, answer.error) for answer in answers} == {(0, "")}, answers
    return [answer.json for answer in answers]


def test_the_command_line_tells_the_same_story(program: Program) -> None:
    """C1: enqueue, run, look, fail, retry, purge: the same answers on every store."""
    made = told(
        program,
        ["enqueue", "double", "[21]", "--id", "good"],
        ["enqueue", "double", "[-1]", "--id", "bad"],
        ["enqueue", "double", "[4]", "--id", "late", "--delay", "1h"],
        ["enqueue", "double", "[21]", "--id", "good"],
    )
    assert [(job["queue"], job["duplicate"]) for job in made] == [("sums", False)] * 3 + [("sums", True)]
    assert program("worker", "--burst").code == 0
    status, queues, shown, listed, dead = told(
        program, ["status"], ["queues", "list"], ["jobs", "show", "good"], ["jobs", "list"], ["dead", "list"]
    )
    counts = {state: count for state, count in status["counts"].items() if count}
    assert counts == {"scheduled": 1, "completed": 1, "failed": 1}
    assert [queue["name"] for queue in queues["queues"]] == ["default", "sums"]
    assert (shown["state"], shown["result"], shown["attempt"]) == ("completed", 42, 1)
    assert [job["id"] for job in listed["jobs"]] == ["late", "bad", "good"]
    assert [(job["id"], job["reason"]) for job in dead["jobs"]] == [("bad", "attempts")]
    assert {answer.code for answer in program.many(["dead", "retry", "bad"], ["worker", "--burst"])} == {0}
    assert program("jobs", "cancel", "late").code == 0
    dead, shown = told(program, ["dead", "list"], ["jobs", "show", "late"])
    assert [job["id"] for job in dead["jobs"]] == ["bad"]
    assert shown["state"] == "cancelled"


def test_replicas_share_the_work(program: Program) -> None:
    """C1: three worker processes on one store run every job once."""
    app = program.app
    with ExitStack() as stack:
        for number in range(3):
            arguments = ["worker", "--id", str(number), "-c", "1", "--json"]
            stack.enter_context(program.start(*arguments)).wait_for("concurrency")
        jobs: list[Job[Any]] = []

        def is_shared() -> bool:
            """One worker may be quick enough to take all of a batch; none is to take all of many."""
            batch = app.enqueue_many([app.request("double", (number,), queue="sums") for number in range(90)])
            assert [job.result(timeout=PATIENCE) for job in batch] == [2 * number for number in range(90)]
            jobs.extend(batch)
            return len({job.refresh().worker for job in jobs}) > 1

        eventually(is_shared)
        eventually(lambda: app.counts()[State.COMPLETED] == len(jobs))
    assert {(job.refresh().attempt, job.record.rescues) for job in jobs} == {(1, 0)}


def test_the_same_code_in_one_process(place: Place) -> None:
    """C1: enqueue, worker, result and error in the program itself, with nothing but the URL and a namespace."""
    with unhurried(Windlass(place.url, namespace=place.namespace)) as app:

        @app.task
        def double(number: int) -> int:
            if number < 0:
                raise ValueError("below zero")
            return 2 * number

        with app.worker():
            assert double.enqueue(21).result(timeout=PATIENCE) == 42
            with pytest.raises(JobFailed, match="below zero"):
                double.options(attempts=1).enqueue(-1).result(timeout=PATIENCE)
        assert json.loads(app.jobs(state="completed")[0].record.payload)["args"] == [21]
