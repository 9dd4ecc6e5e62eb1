"""Ids: the beginning is enough where it is unique, and lists show no more than that."""

from __future__ import annotations

from tests.cli.program import Program
from tests.cli.test_terminal import lines

FIRST, SECOND, THIRD = "01M7GX1PWHFE5T02DHDS5V95AZ", "01M7GX1SWMCJS9MDDHRBVNT6E1", "01M7GX1SWMCJS9MDDHRBVNT6E2"


def put(windlass: Program, *ids: str) -> None:
    app = windlass.app
    app.enqueue_many([app.request("mail.welcome", [1], queue="mail", id=id) for id in ids])


def test_every_command_takes_the_beginning_of_an_id(windlass: Program) -> None:
    put(windlass, FIRST, SECOND)
    assert windlass.json("jobs", "show", "01M7GX1P")["id"] == FIRST
    assert windlass.json("jobs", "timeline", "01M7GX1P")["id"] == FIRST
    assert windlass.json("jobs", "why", "01M7GX1P")["id"] == FIRST
    assert windlass.json("jobs", "cancel", "01M7GX1P", FIRST)["cancelled"] == [FIRST]
    assert windlass.json("jobs", "retry", "01M7GX1P")["retried"] == [FIRST]
    assert windlass.json("jobs", "delete", "01M7GX1P")["deleted"] == [FIRST]
    assert windlass("jobs", "show", "01M7GX1P").is_error(1, "no job has the id '01M7GX1P', and none begins so")


def test_dead_letters_are_found_by_the_beginning_of_an_id(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("broken", ["x"], id=FIRST, attempts=1)])
    assert windlass("worker", "--burst").code == 0
    assert windlass.json("dead", "retry", "01M7GX1P")["retried"] == [FIRST]


def test_a_beginning_of_several_ids_is_refused_and_they_are_named(windlass: Program) -> None:
    put(windlass, SECOND, THIRD)
    answer = windlass("jobs", "delete", "01M7GX1S")
    assert answer.code == 1
    assert f"several jobs have ids that begin with '01M7GX1S': {SECOND}, {THIRD}" in answer.error
    assert len(windlass.app.jobs()) == 2


def test_a_whole_id_wins_over_longer_ones(windlass: Program) -> None:
    put(windlass, "order", "order-2")
    assert windlass.json("jobs", "show", "order")["id"] == "order"


def test_a_terminal_shows_ids_as_short_as_they_are_unique(windlass: Program) -> None:
    put(windlass, FIRST, SECOND, THIRD, "mine")
    shown = {row.split()[0] for row in lines(windlass.at_terminal("jobs", "list"))[2:]}
    assert shown == {"01M7GX1P", SECOND, THIRD, "mine"}
    # Unique in the list is not enough: another job begins so too.
    windlass.app.job(THIRD).cancel()
    shown = {row.split()[0] for row in lines(windlass.at_terminal("jobs", "list", "--state", "cancelled"))[2:]}
    assert shown == {THIRD}


def test_a_pipe_gets_whole_ids(windlass: Program) -> None:
    put(windlass, FIRST)
    assert FIRST in windlass("jobs", "list").out
