"""``windlass schedules``, and schedules of real processes."""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from tests.cli.program import JOBS, Program
from tests.waiting import eventually

SCHEDULES = """

@app.cron("30 2 * * *", tz="America/New_York", args=[7], kwargs={"password": "hunter2"}, jitter="30s")
@app.task(name="report", queue="reports")
def report(days: int, password: str = "") -> None: ...


@app.every("1h", overlap="skip")
def refresh() -> None: ...
"""
CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def planned(windlass: Program) -> Program:
    """A program whose code declares two schedules."""
    windlass.write("jobs.py", JOBS + SCHEDULES)
    return windlass


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Schedules in every state, for tests that only look."""
    program = Program(tmp_path_factory.mktemp("office"))
    program.write("jobs.py", JOBS + SCHEDULES)
    app = program.app
    app.migrate()
    [fired] = program.many(["duties", "fire", "--json"])
    assert fired.json == {"duty": "fire", "fired": []}
    app.add_schedule("a-schedule-with-a-name-that-is-longer-than-most-of-them", "mail.welcome", every="90s", args=[1])
    app.schedule("refresh").pause("the feed is down for the whole week, as they say", by="ada@office")
    app.schedule("report").edit(cron="0 4 1-7,15-21 1,3,5,7,9,11 mon", queue="slow", by="bob@office")
    yield program
    app.close()


def test_schedules_are_listed_with_their_next_slot(office: Program) -> None:
    """B16: who paused and changed what is told below."""
    plain, one, disabled = office.many(
        ["schedules", "list"],
        ["schedules", "list", "--task", "report", "--json"],
        ["schedules", "list", "--disabled", "--json"],
    )
    lines = plain.out.splitlines()
    assert lines[0].split() == ["SCHEDULE", "DUE", "ZONE", "NEXT", "STATE", "TASK"]
    assert [line.split()[0] for line in lines[1:4]] == [
        "a-schedule-with-a-name-that-is-longer-than-most-of-them", "refresh", "report",
    ]  # fmt: skip
    assert "refresh: paused by ada@office now: the feed is down" in re.sub(r"\d+\w+ ago", "now", plain.out)
    assert "report: cron, queue changed by bob@office now; the code says otherwise" in re.sub(
        r"\d+\w+ ago", "now", plain.out
    )
    [report] = one.json["schedules"]
    assert (report["queue"], report["changed"]["code"]["queue"]) == ("slow", "reports")
    assert report["changed"]["settings"] == ["cron", "queue"]
    assert [one["name"] for one in disabled.json["schedules"]] == ["refresh"]


def test_a_schedule_is_shown_with_secrets_masked(office: Program) -> None:
    """B16."""
    plain, shown = office.many(["schedules", "show", "report"], ["schedules", "show", "report", "--json"])
    assert "hunter2" not in plain.out + shown.out
    assert "0 4 1-7,15-21 1,3,5,7,9,11 mon in America/New_York" in plain.out
    assert "(code: 30 2 * * * in America/New_York)" in plain.out
    assert shown.json["args"] == [7]
    assert shown.json["fires"] == []


def test_a_preview_shows_both_clocks(office: Program) -> None:
    """B16: ten slots, unless another number is asked for."""
    plain, shown, paused = office.many(
        ["schedules", "preview", "report"],
        ["schedules", "preview", "report", "-n", "3", "--json"],
        ["schedules", "preview", "refresh"],
    )
    assert plain.out.splitlines()[0].startswith("IN America/New_York")
    assert len(plain.out.splitlines()) == 12
    assert "each up to 30s later" in plain.out
    slots = shown.json["slots"]
    assert len(slots) == 3
    assert all(datetime.fromisoformat(slot["at"]) == datetime.fromisoformat(slot["local"]) for slot in slots)
    assert "it does not fire: it is paused" in paused.out


@pytest.mark.parametrize("columns", [40, 80])
def test_lists_fit_the_terminal(office: Program, columns: int) -> None:
    for arguments in (["list"], ["show", "report"], ["preview", "report"]):
        shown = office.at_terminal("schedules", *arguments, columns=columns)
        assert shown.code == 0
        assert max(len(line) for line in CODES.sub("", shown.out).splitlines()) <= columns


def test_a_schedule_is_added_changed_and_deleted(planned: Program) -> None:
    """B16: all from the command line."""
    answers = planned.many(
        [
            "schedules",
            "add",
            "nightly",
            "mail.welcome",
            "[42]",
            "--cron",
            "30 2 * * *",
            "--tz",
            "Europe/Berlin",
            "--json",
        ],
        ["schedules", "edit", "nightly", "--every", "15m", "--queue", "slow", "--tag", "vip", "--json"],
        ["schedules", "pause", "nightly", "--reason", "August"],
        ["schedules", "run", "nightly", "--json"],
        ["schedules", "resume", "nightly"],
        ["schedules", "recompute"],
        ["schedules", "delete", "nightly", "--yes", "--json"],
        ["schedules", "list", "--json"],
    )
    assert [answer.code for answer in answers] == [0] * len(answers), answers
    added, edited, _, run, resumed, recomputed, deleted, listed = answers
    assert (added.json["cron"], added.json["tz"], added.json["origin"]) == ("30 2 * * *", "Europe/Berlin", "hand")
    assert (edited.json["cron"], edited.json["every"], edited.json["queue"]) == (None, 900, "slow")
    job = planned.app.job(run.json["id"])
    assert (job.queue, job.tags, job.args, job.schedule) == ("slow", ("vip",), (42,), "nightly")
    assert resumed.out.startswith("resumed schedule nightly; next ")
    assert recomputed.out == "0 schedules moved\n"
    assert deleted.json == {"schedule": "nightly", "deleted": True}
    assert [one["name"] for one in listed.json["schedules"]] == ["refresh", "report"]
    assert [one["state"] for one in listed.json["schedules"]] == ["new", "new"]


def test_changes_are_taken_back(planned: Program) -> None:
    """B16: what the code says holds again."""
    edited, reset = planned.many(
        ["schedules", "edit", "report", "--cron", "@daily", "--json"],
        ["schedules", "edit", "report", "--reset", "--json"],
    )
    assert edited.json["changed"]["settings"] == ["cron"]
    assert (reset.json["cron"], reset.json["changed"]) == ("30 2 * * *", None)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["show", "nothing"], 1, ["there is no schedule 'nothing'"]),
        (["add", "x", "mail.welcome", "[1]"], 2, ["give one of cron= and every="]),
        (["add", "x", "mail.welcome", "[1]", "--cron", "61 * * * *"], 2, ["'61' is no minute"]),
        (["add", "x", "mail.welcome", "[1]", "--cron", "@daily", "--tz", "Mars"], 2, ["no time zone 'Mars'"]),
        (["add", "x", "mail.welcome", "[]", "--every", "1h"], 2, ["schedule 'x'", "missing a required argument"]),
        (["add", "x", "mail.wellcome", "[1]", "--every", "1h"], 1, ["did you mean 'mail.welcome'?"]),
        (["edit", "report"], 2, ["nothing to change"]),
        (["edit", "report", "--reset", "--every", "1h"], 2, ["--reset takes all changes back"]),
        (["delete", "report", "--yes"], 1, ["declared in code"]),
        (["delete", "report"], 2, ["say --yes"]),
    ],
)
def test_wrong_use_is_one_clear_line(planned: Program, arguments: list[str], code: int, words: list[str]) -> None:
    assert planned("schedules", *arguments).is_error(code, *words)


SECONDLY = (
    JOBS
    + """

@app.every("1s", catch_up="all", catch_up_limit=1000)
def tick() -> None: ...
"""
)


def slots_of(program: Program) -> list[tuple[datetime, int]]:
    """Every slot in the ledger with how many it stands for, the oldest first."""
    return [(fire.planned_at, fire.count) for fire in program.app.schedule("tick").fires(limit=200)][::-1]


def leader_of(program: Program) -> str | None:
    leader = program.app.overview().leader
    return None if leader is None else leader.name


def test_slots_fire_once_when_the_leader_is_killed(windlass: Program) -> None:
    """B14, C9: another process takes over; every second has one job, or is in the ledger as missed."""
    windlass.write("jobs.py", SECONDLY)
    with windlass.start("worker", "--id", "1") as one, windlass.start("worker", "--id", "2") as two:
        for process in (one, two):
            process.wait_for("concurrency")
        eventually(lambda: len(windlass.app.workers()) == 2, "both are listed")
        eventually(lambda: leader_of(windlass) is not None, "one leads")
        processes = {worker.name: one if worker.name.endswith("-1") else two for worker in windlass.app.workers()}
        first = leader_of(windlass)
        assert first is not None
        eventually(lambda: len(slots_of(windlass)) >= 3, "the first slots have fired")
        processes[first].signal(signal.SIGKILL)
        processes[first].code()
        before = slots_of(windlass)[-1][0]
        eventually(lambda: slots_of(windlass)[-1][0] > before + timedelta(seconds=3), "the other one fires")
        eventually(lambda: leader_of(windlass) != first, "status tells who leads now")
        slots = slots_of(windlass)
    expected = [slots[0][0] + timedelta(seconds=number) for number in range(len(slots))]
    assert slots == [(slot, 1) for slot in expected]
    jobs = [job.planned_at for job in windlass.app.jobs(limit=1000, task="jobs.tick")]
    assert max(Counter(jobs).values()) == 1
    assert set(jobs) >= set(expected)
