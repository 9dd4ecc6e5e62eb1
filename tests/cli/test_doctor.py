"""``windlass doctor`` and ``windlass check --code``."""

from __future__ import annotations

import re

from tests.cli.program import Program

CODES = re.compile(r"\x1b\[[0-9;]*m")


def test_problems_have_remedies_and_exit_code_1(windlass: Program) -> None:
    """B24: readable at 80 columns, and as JSON."""
    windlass.app.enqueue("mail.welcome", 42)
    plain, json = windlass.many(["doctor"], ["doctor", "--json", "--stuck-after", "2h"])
    assert (plain.code, json.code) == (1, 1)
    assert "PROBLEM  workers: no worker is alive\n    -> start one: windlass worker -A MODULE\n" in plain.out
    assert plain.out.splitlines()[-1] == "2 problems"
    assert json.json["problems"] == 2
    assert json.json["facts"]["store"] == "sqlite"
    assert {one["level"] for one in json.json["findings"]} == {"ok", "problem"}
    narrow = windlass.at_terminal("doctor", columns=80)
    assert all(len(CODES.sub("", line)) <= 80 for line in narrow.out.splitlines())


def test_a_wrong_length_of_time_is_wrong_use(windlass: Program) -> None:
    assert windlass("doctor", "--stuck-after", "soon").is_error(2, "stuck_after")


def test_waiting_jobs_are_compared_with_the_code(windlass: Program) -> None:
    """F6: exit code 1 when the code cannot run what waits."""
    windlass.app.enqueue("gone", 42)
    plain, json = windlass.many(["check", "--code"], ["check", "--code", "--json"])
    assert plain.code == 1
    assert "the code does not know this task" in plain.out
    assert [one["kind"] for one in json.json["misfits"]] == ["unknown_task"]
    windlass.app.purge(state="pending")
    assert windlass("check", "--code").code == 0
