"""At a terminal: colours, tables that fit, questions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.cli.program import JOBS, Answer, Program
from tests.waiting import eventually
from windlass import State

CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_tables_fit_the_terminal(shop: Program, columns: int) -> None:
    for arguments in (["jobs", "list"], ["status"], ["jobs", "timeline", "dead"]):
        shown = shop.at_terminal(*arguments, columns=columns)
        assert shown.code == 0
        assert "\x1b[" in shown.out, "a terminal gets colours"
        assert max(len(line) for line in CODES.sub("", shown.out).splitlines()) <= columns


@pytest.mark.parametrize("columns", [80, 60])
def test_a_failed_job_shows_its_error_in_a_narrow_terminal(morgue: Program, columns: int) -> None:
    heading, _, *rows = lines(morgue.at_terminal("jobs", "list", columns=columns))
    assert heading.split()[-1] == "NOTE"
    shown, ids = [row.split()[0] for row in rows], [job.id for job in morgue.app.jobs()]
    assert shown == [id[: len(start)] for id, start in zip(ids, shown, strict=True)], "as much as tells them apart"
    assert len(set(shown)) == len(ids)
    assert "  ValueError" in rows[0]


@pytest.mark.parametrize("columns", [60, 40, 20])
def test_the_first_column_of_a_table_stays(morgue: Program, columns: int) -> None:
    queues = lines(morgue.at_terminal("queues", "list", columns=columns))
    assert queues[0].split()[:2] == ["QUEUE", "PENDING"][: 1 if columns < 40 else 2]
    assert [row.split()[0][:12] for row in queues[2:]] == ["default", "invoices-of-", "mail"]
    jobs = "".join(lines(morgue.at_terminal("jobs", "list", columns=columns)))
    assert jobs.startswith("ID")


@pytest.fixture(scope="session")
def morgue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Jobs with ids and names as long as they are in life."""
    program = Program(tmp_path_factory.mktemp("morgue"))
    program.write("jobs.py", JOBS)
    program.app.enqueue_many(
        [
            program.app.request("mail.welcome", [1], queue="invoices-of-the-year"),
            program.app.request("broken", ["a reason that is longer than any terminal is wide" * 3], attempts=1),
        ]
    )
    assert program("worker", "--burst").code == 0
    yield program
    program.app.close()


def lines(shown: Answer) -> list[str]:
    assert shown.code == 0
    return CODES.sub("", shown.out).splitlines()


def test_only_our_own_codes_reach_the_terminal(shop: Program) -> None:
    shown = shop.at_terminal("jobs", "show", "dead").out
    assert r"\x1b[31mred\x07" in CODES.sub("", shown)
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_markup_in_job_data_is_only_text(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", ["[bold red]:bomb:[/]"], id="[red]x[/red]")])
    assert "[red]x[/red]" in windlass.at_terminal("jobs", "list").out
    assert "[bold red]:bomb:[/]" in windlass.at_terminal("jobs", "show", "[red]x[/red]").out


def test_json_at_a_terminal_is_indented(shop: Program) -> None:
    assert shop.at_terminal("jobs", "why", "dead", "--json").out.startswith('{\n  "id": "dead"')


@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, 0), ("n\n", 1, 1), ("\n", 1, 1)])
def test_a_question_is_asked_before_much_is_destroyed(windlass: Program, answer: str, code: int, left: int) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    shown = windlass.at_terminal("queues", "purge", "default", answer=answer)
    assert "Delete 1 job of queue default, all that wait? [y/N]" in shown.out
    assert shown.code == code
    assert windlass.app.counts()[State.PENDING] == left


def test_a_running_job_shows_for_how_long_and_on_which_worker(windlass: Program) -> None:
    [job] = windlass.app.enqueue_many([windlass.app.request("forever", [])])
    with windlass.start("worker", "--id", "7", "--name", "web") as running:
        running.wait_for("forever")
        eventually(lambda: job.refresh().started_at is not None and job.progress.value is not None)
        row = next(line for line in lines(windlass.at_terminal("jobs", "list")) if "running" in line)
    assert re.search(r"for \d+m?s, 40% on and on, on web-wo", row)


def test_an_error_is_readable_at_80_columns(morgue: Program) -> None:
    rows = lines(morgue.at_terminal("dead", "list", columns=80))[2:]
    assert "ValueError: a reason that is " in rows[0]
