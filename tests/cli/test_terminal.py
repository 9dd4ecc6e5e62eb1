"""At a terminal: colours, tables that fit, questions."""

from __future__ import annotations

import re

import pytest

from tests.cli.program import Program
from windlass import State

CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.mark.parametrize("columns", [80, 120])
def test_tables_fit_the_terminal(shop: Program, columns: int) -> None:
    for arguments in (["jobs", "list"], ["status"], ["jobs", "timeline", "dead"]):
        shown = shop.at_terminal(*arguments, columns=columns)
        assert shown.code == 0
        assert "\x1b[" in shown.out, "a terminal gets colours"
        assert max(len(line) for line in CODES.sub("", shown.out).splitlines()) <= columns


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
