"""``windlass doctor`` and ``windlass check --code``."""

from __future__ import annotations

import re

from tests.cli.program import Program
from tests.places.raw_sqlite import RawSqlite

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


def test_a_store_is_compared_with_itself(windlass: Program) -> None:
    """F8: exit code 1 on a difference; --repair says what it did."""
    job = _tagged(windlass)
    RawSqlite(windlass.folder / "windlass.db").execute("DELETE FROM windlass_tag")
    wrong, repaired, both = windlass.many(["check"], ["check", "--repair", "--json"], ["check", "--code", "--repair"])
    assert wrong.code == 1
    assert f"WRONG  job {job} is not found by its tag vip\n" in wrong.out
    assert "windlass check --repair" in wrong.out
    assert [(one["kind"], one["mended"]) for one in repaired.json["damages"]] == [("no_tag", True)]
    assert both.is_error(2, "choose one")
    assert windlass("check").out == "looked at 1 job: all is consistent\n"


def _tagged(windlass: Program) -> str:
    [job] = windlass.app.enqueue_many([windlass.app.request("mail.welcome", [42], tags=["vip"])])
    return job.id
