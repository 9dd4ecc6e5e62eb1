"""``windlass queues``."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tests.cli.program import Program
from windlass import Retention, Retry, State
from windlass.cli.commands.queues import change
from windlass.options.queues import QueueOptions


def test_queues_are_listed_with_counts_and_workers(shop: Program) -> None:
    """B5, C2: a queue with jobs but no worker shows none."""
    rows = [line.split() for line in shop("queues", "list").out.splitlines()]
    assert rows[0][:3] == ["QUEUE", "PENDING", "RUNNING"]
    assert {str(state).upper() for state in State} <= set(rows[0])
    assert [(row[0], row[1]) for row in rows[1:]] == [("default", "0"), ("letters", "2"), ("mail", "0")]
    letters = shop.json("queues", "list")["queues"][1]
    assert letters["counts"]["pending"] == 2
    assert set(letters["counts"]) == {str(state) for state in State}
    assert letters["oldest_seconds"] > 0
    assert letters["workers"] == 0


def test_peek_shows_claim_order_without_taking(shop: Program) -> None:
    """B5."""
    all_of_it, first, nothing = shop.many(
        ["queues", "peek", "letters", "--json"],
        ["queues", "peek", "letters", "--limit", "1"],
        ["queues", "peek", "mail"],
    )
    assert [job["id"] for job in all_of_it.json["jobs"]] == ["high", "low"]
    assert [line.split()[0] for line in first.out.splitlines()][:2] == ["ID", "high"]
    assert nothing.out == "queue mail has no jobs that are ready\n"


def test_a_paused_queue_is_not_served_until_it_is_resumed(windlass: Program) -> None:
    """B10: who and why is shown."""
    job = windlass.app.enqueue("mail.welcome", 1)
    assert windlass("queues", "pause", "default", "--reason", "smtp is down").code == 0
    assert "0 runs ended" in windlass("worker", "--burst").out
    json, plain, why, resume = windlass.many(
        ["queues", "list", "--json"],
        ["queues", "list"],
        ["jobs", "why", job.id],
        ["queues", "resume", "default", "--json"],
    )
    [paused] = [one["paused"] for one in json.json["queues"] if one["name"] == "default"]
    assert paused["reason"] == "smtp is down"
    assert "@" in paused["by"]
    assert f"default: paused by {paused['by']}" in plain.out
    assert why.out.startswith(f"pending: queue 'default' is paused by {paused['by']}: smtp is down")
    assert resume.json == {"queue": "default", "paused": False, "reason": None}
    assert "1 run ended" in windlass("worker", "--burst").out


def test_all_queues_are_paused_at_once(windlass: Program) -> None:
    """B10."""
    windlass.app.enqueue("mail.welcome", 1)
    pause, status, listed = windlass.many(
        ["queues", "pause", "--all", "--reason", "night", "--json"], ["status", "--json"], ["queues", "list"]
    )
    assert pause.json == {"queue": None, "paused": True, "reason": "night"}
    assert status.json["all_paused"]["reason"] == "night"
    assert "all queues are paused" in listed.out
    assert "0 runs ended" in windlass("worker", "--burst").out
    resume, listed = windlass.many(["queues", "resume", "--all"], ["queues", "list", "--json"])
    assert resume.out.startswith("resumed all queues")
    assert listed.json["all_paused"] is None


@pytest.mark.parametrize("arguments", [[], ["letters", "--all"]])
def test_a_pause_is_for_one_queue_or_for_all(shop: Program, arguments: list[str]) -> None:
    assert shop("queues", "pause", *arguments).is_error(2, "name one queue, or say --all")


def test_a_queue_is_set_up_before_and_after_it_exists(windlass: Program) -> None:
    changed = windlass.json(
        *("queues", "set", "mail", "--weight", "3", "--max-length", "10"),
        *("--keep-completed", "1d", "--keep-failed", "forever", "--keep-at-most", "5"),
    )
    assert (changed["weight"], changed["max_length"]) == (3, 10)
    assert changed["retention"] == {"completed": 86_400, "cancelled": 604_800, "failed": None, "at_most": 5}
    assert "@" in changed["changed_by"]
    assert windlass("queues", "set", "mail", "--reset", "weight", "--reset", "retention").code == 0
    settings = windlass.app.queue("mail").settings()
    assert (settings.weight, settings.max_length, settings.retention) == (None, 10, None)


def test_limits_on_running_jobs_are_set_and_shown(windlass: Program) -> None:
    """C3, E4."""
    one, every, listed, plain, reset = windlass.many(
        ["queues", "set", "mail", "--max-running", "8", "--json"],
        ["queues", "set", "--all", "--max-running", "64", "--json"],
        ["queues", "list", "--json"],
        ["queues", "list"],
        ["queues", "set", "--all", "--reset", "max-running"],
    )
    assert (one.json["queue"], one.json["max_running"]) == ("mail", 8)
    assert (every.json["queue"], every.json["max_running"]) == (None, 64)
    [mail] = [queue for queue in listed.json["queues"] if queue["name"] == "mail"]
    assert mail["max_running"] == 8
    assert mail["changed_at"].endswith("+00:00")
    assert listed.json["all_max_running"] == 64
    assert "mail: at most 8 running (max running changed by " in plain.out
    assert "all queues together: at most 64 running (max running changed by " in plain.out
    assert reset.out.startswith("changed max running of all queues")
    assert windlass.app.overview().everywhere.max_running is None


OTHER_WAITS = ["--retry-backoff", "linear", "--retry-factor", "3", "--retry-floor", "5s", "--retry-jitter", "0"]


def test_one_queue_is_shown_with_who_changed_which_setting(windlass: Program) -> None:
    """C10: also what the code says, and what neither has set."""
    mail = windlass.app.queue("mail", weight=3, max_length=10)
    windlass.app.claim()
    mail.configure(weight=9, by="ada")
    plain, json, retry, both, reset, cleared, after, unknown = windlass.many(
        ["queues", "show", "mail"],
        ["queues", "show", "mail", "--json"],
        [
            "queues",
            "set",
            "mail",
            "--attempts",
            "9",
            "--retry-base",
            "10s",
            "--retry-cap",
            "1h",
            *OTHER_WAITS,
            "--json",
        ],
        ["queues", "set", "mail", "--reset", "weight", "--max-running", "2"],
        ["queues", "set", "mail", "--reset", "weight", "--json"],
        ["queues", "set", "mail", "--clear", "max-length", "--json"],
        ["queues", "show", "mail"],
        ["queues", "show", "nowhere"],
    )
    rows = [line.split() for line in plain.out.splitlines()]
    assert ["weight", "9", "ada"] in [row[:3] for row in rows]
    assert ["max", "length", "10", "code"] in [row[:4] for row in rows]
    assert ["rate", "-", "-", "-"] in rows
    assert json.json["changes"]["weight"]["by"] == "ada"
    assert json.json["name"] == "mail"
    said = {"attempts": 9, "backoff": "linear", "base": 10, "factor": 3, "floor": 5, "cap": 3600, "jitter": 0}
    assert retry.json["retry"] == said
    assert both.is_error(2, "--reset takes changes back")
    assert (reset.json["weight"], list(reset.json["changes"])) == (None, ["retry"])
    assert cleared.json["max_length"] is None
    assert "max_length" in cleared.json["changes"]
    assert "9 attempts, 10s..1h, linear" in after.out
    assert (unknown.code, "no queue is called 'nowhere'" in unknown.error) == (1, True)


def test_the_command_line_knows_every_setting() -> None:
    """C10: a part of a setting that only code could say would be lost to operators."""
    parts = {f"retry_{part.name}" for part in fields(Retry) if part.name not in ("attempts", "custom")}
    parts |= {f"keep_{part.name}" for part in fields(Retention)}
    plain = QueueOptions.__annotations__.keys() - {"retry", "retention"}
    assert {"attempts", *plain, *parts} <= {str(option.name) for option in change.params}


BAD: list[tuple[list[str], list[str]]] = [
    ([], ["nothing to change"]),
    (["--weight", "0"], ["weight", "0"]),
    (["--max-length", "-1"], ["max_length", "-1"]),
    (["--max-running", "0"], ["max_running", "at least 1", "pause"]),
    (["--all", "--max-running", "2"], ["name one queue, or say --all"]),
    (["--keep-failed", "long"], ["--keep-failed", "'long'", "'forever'"]),
    (["--rate", "5/s", "--clear", "rate"], ["--clear rate", "do not go together"]),
    (["--attempts", "5", "--clear", "retry"], ["--clear retry", "do not go together"]),
]


def test_settings_that_make_no_sense_are_wrong_use(shop: Program) -> None:
    answers = shop.many(*(["queues", "set", "letters", *arguments] for arguments, _ in BAD))
    for answer, (_, words) in zip(answers, BAD, strict=True):
        assert answer.is_error(2, *words), answer


def test_a_queue_is_purged_and_deleted(windlass: Program) -> None:
    """B5: deleting is refused while jobs wait."""
    app = windlass.app
    app.enqueue_many([app.request("mail.welcome", [n], delay=delay) for n, delay in enumerate([0, 0, 60])])
    refused, purged, deleted, json, plain = windlass.many(
        ["queues", "delete", "default", "--yes"],
        ["queues", "purge", "default", "--yes", "--json"],
        ["queues", "delete", "default", "--yes", "--json"],
        ["queues", "list", "--json"],
        ["queues", "list"],
    )
    assert refused.is_error(1, "'default'", "still has jobs")
    assert purged.json == {"queue": "default", "deleted": 3}
    assert deleted.json == {"queue": "default", "deleted": True}
    assert json.json["queues"] == []
    assert plain.out == "no queues yet\n"


@pytest.mark.parametrize("command", ["purge", "delete"])
def test_what_destroys_must_be_confirmed(shop: Program, command: str) -> None:
    """Without a terminal to ask at, ``--yes`` is needed."""
    assert shop("queues", command, "letters").is_error(2, "2 jobs", "letters", "--yes")
    assert shop.app.counts(queue="letters")[State.PENDING] == 2


def test_a_queue_that_is_not_there_is_a_problem(shop: Program) -> None:
    for answer in shop.many(
        *(["queues", command, "leters"] for command in ("pause", "resume", "peek", "purge", "delete"))
    ):
        assert answer.is_error(1, "no queue is called 'leters'", "default, letters, mail"), answer


def test_an_illegal_queue_name_is_wrong_use(shop: Program) -> None:
    assert shop("queues", "peek", "no way").is_error(2, "'no way'")
