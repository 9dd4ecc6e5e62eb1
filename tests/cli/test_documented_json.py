"""docs/cli.md names every key that ``--json`` prints, and none besides."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.program import Program

DOCUMENT = Path(__file__).parents[2] / "docs" / "cli.md"


def documented(name: str) -> set[str]:
    """The keys of the first level in the row of this name; those in parentheses belong to the value before them."""
    rows = [line.split("|") for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    [keys] = [row[2] for row in rows if name in row[1]]
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", keys)))


COMMANDS = [
    ("jobs list", ["jobs", "list"]),
    ("jobs timeline", ["jobs", "timeline", "one"]),
    ("jobs why", ["jobs", "why", "one"]),
    ("queues list", ["queues", "list"]),
    ("dead groups", ["dead", "groups"]),
    ("workers list", ["workers", "list"]),
    ("workers forget --lost", ["workers", "forget", "--lost"]),
    ("status", ["status"]),
    ("top", ["top"]),
    ("bench", ["bench", "--jobs", "200", "--pick-ups", "2", "--with-other-jobs"]),
    ("migrate", ["migrate"]),
    ("duties promote", ["duties", "promote"]),
    ("duties clean", ["duties", "clean"]),
    ("duties rescue", ["duties", "rescue"]),
    ("queues set", ["queues", "set", "spare", "--weight", "2"]),
    ("tokens add", ["tokens", "add", "ci"]),
    ("tokens list", ["tokens", "list"]),
    ("tokens revoke", ["tokens", "revoke", "ci"]),
    ("audit list", ["audit", "list"]),
    ("keys list", ["keys", "list"]),
    ("keys limits", ["keys", "limits"]),
    ("keys set", ["keys", "set", "mail.welcome", "--concurrency", "2"]),
    ("tasks list", ["tasks", "list"]),
    ("tasks resume", ["tasks", "resume", "mail.welcome"]),
    ("queues pause", ["queues", "pause", "default"]),
    ("schedules add", ["schedules", "add", "s", "mail.welcome", "[1]", "--every", "1h"]),
    ("schedules list", ["schedules", "list"]),
    ("schedules show", ["schedules", "show", "s"]),
    ("schedules preview", ["schedules", "preview", "s"]),
    ("schedules run", ["schedules", "run", "s"]),
    ("schedules recompute", ["schedules", "recompute"]),
    ("duties fire", ["duties", "fire"]),
    ("schedules delete", ["schedules", "delete", "s", "--yes"]),
    ("flows show", ["flows", "show", "one"]),
    ("enqueue", ["enqueue", "mail.welcome", "[1]", "--queue", "spare"]),
    ("move", ["move", "sqlite:///windlass.db", "sqlite:///moved.db"]),
]


OF_A_SCHEDULE = ("schedules add", "schedules show")


def documented_of(name: str) -> set[str]:
    """The keys of a command's row, with those of the value that it names in their place."""
    return documented(f"`{name}`") | (documented("*schedule*") if name in OF_A_SCHEDULE else set())


def test_the_keys_of_commands_are_documented(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [1], id="one")])
    answers = windlass.many(*([*arguments, "--json"] for _, arguments in COMMANDS))
    for answer, (name, _) in zip(answers, COMMANDS, strict=True):
        assert answer.code == 0, answer
        assert documented_of(name) == set(answer.json), name


def test_the_keys_of_jobs_and_queues_are_documented(shop: Program) -> None:
    assert documented("*job*") == set(shop.json("jobs", "list")["jobs"][0])
    assert documented("*job*") | documented("*detail*") == set(shop.json("jobs", "show", "done"))
    assert documented("*queue*") == set(shop.json("queues", "list")["queues"][0])


def test_the_keys_of_workers_are_documented(windlass: Program) -> None:
    with windlass.start("worker", "--json") as worker:
        worker.wait_for('"concurrency"')
        assert documented("*worker*") == set(windlass.json("workers", "list")["workers"][0])
