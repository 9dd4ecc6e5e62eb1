"""``windlass enqueue``."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.cli.program import Program
from windlass import State


def test_a_job_is_made_as_the_task_says(windlass: Program) -> None:
    answer = windlass("enqueue", "mail.welcome", "[42]", '{"password": "x"}')
    [job] = windlass.app.jobs()
    assert answer.out == f"enqueued {job.id} (mail.welcome, queue mail, pending)\n"
    assert job.record.payload.rstrip() == '{"v":1,"args":[42],"kwargs":{"password":"x"}}'


def test_a_job_is_made_under_options(windlass: Program) -> None:
    made = windlass.json(
        *("enqueue", "-A", "jobs", "mail.welcome", "[42]", "{}"),
        *("--delay", "10m", "--priority", "5", "--queue", "vip", "--id", "welcome-42", "--attempts", "2"),
        *(
            "--timeout",
            "30s",
            "--expires",
            "5m",
            "--unique",
            "user-42",
            "--meta",
            '{"tenant": "a"}',
            "--tag",
            "x",
            "--tag",
            "y",
        ),
    )
    assert made == {
        "id": "welcome-42",
        "task": "mail.welcome",
        "queue": "vip",
        "state": "scheduled",
        "duplicate": False,
        "replaced": False,
    }
    job = windlass.app.job("welcome-42")
    assert (job.priority, job.max_attempts, job.record.timeout, job.record.unique_key) == (5, 2, 30_000, "user-42")
    assert job.record.expires == 300_000
    assert (job.meta, job.tags) == ({"tenant": "a"}, ("x", "y"))


def test_a_job_is_made_for_an_instant(windlass: Program) -> None:
    made = windlass.json("enqueue", "mail.welcome", "[1]", "--at", "2100-01-01T09:30:00+01:00")
    assert windlass.app.job(made["id"]).run_at == datetime(2100, 1, 1, 8, 30, tzinfo=UTC)


def test_the_same_id_twice_is_one_job(windlass: Program) -> None:
    """B18: and with other arguments it is a problem."""
    windlass("enqueue", "mail.welcome", "[1]", "--id", "one")
    again = windlass("enqueue", "mail.welcome", "[1]", "--id", "one")
    assert again.code == 0
    assert again.out.startswith("exists already: one ")
    assert windlass("enqueue", "mail.welcome", "[2]", "--id", "one").is_error(1, "'one'", "nothing was stored")


def test_a_task_that_the_app_does_not_have_is_a_problem(windlass: Program) -> None:
    assert windlass("enqueue", "mail.welcom", "[1]").is_error(1, "'mail.welcom'", "did you mean 'mail.welcome'?")
    assert windlass.app.counts()[State.PENDING] == 0


def test_with_a_store_alone_any_name_will_do(windlass: Program) -> None:
    made = windlass.json("enqueue", "--url", windlass.url, "elsewhere.task", "[1]")
    assert windlass.app.job(made["id"]).task == "elsewhere.task"


BAD = [
    (["{}"], ["ARGS", "JSON list"]),
    (["[1"], ["ARGS", "'[1'"]),
    (["[1]", "[]"], ["KWARGS", "JSON object"]),
    (["[]"], ["mail.welcome", "user_id"]),
    (["[1, 2, 3]"], ["mail.welcome", "too many"]),
    (["[NaN]"], ["NaN"]),
    (["[1]", "--meta", "[]"], ["--meta", "JSON object"]),
    (["[1]", "--at", "noon"], ["--at", "'noon'"]),
    (["[1]", "--at", "2100-01-01T00:00:00"], ["--at", "no time zone", "2100-01-01T00:00:00Z"]),
    (["[1]", "--priority", "101"], ["priority", "101"]),
    (["[1]", "--queue", "no way"], ["'no way'"]),
    (["[1]", "--delay", "soon"], ["delay", "'soon'"]),
]


def test_what_cannot_be_enqueued_is_wrong_use(shop: Program) -> None:
    answers = shop.many(*(["enqueue", "mail.welcome", *arguments] for arguments, _ in BAD))
    for answer, (_, words) in zip(answers, BAD, strict=True):
        assert answer.is_error(2, *words), answer
