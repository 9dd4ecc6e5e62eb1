"""``windlass dead``: the dead letters."""

from __future__ import annotations

import pytest

from tests.cli.program import Program
from windlass import State


@pytest.fixture
def morgue(windlass: Program) -> Program:
    """Three dead letters of two tasks in two queues, and a job that lives."""
    app = windlass.app
    for id, task, queue in [("a", "mail.send", "mail"), ("b", "mail.send", "mail"), ("c", "load", "default")]:
        app.enqueue_many([app.request(task, [id], id=id, queue=queue, attempts=1)])
        [claimed] = app.claim(1, queues=[queue])
        claimed.fail("no route to host")
    app.enqueue_many([app.request("load", [], id="alive")])
    return windlass


def test_dead_letters_are_listed(morgue: Program) -> None:
    """A11: with reason and error; filtered."""
    rows = morgue("dead", "list").out.splitlines()
    assert [row.split()[0] for row in rows[1:]] == ["c", "b", "a"]
    assert "error: no route to host (attempts)" in rows[1]
    of_mail, of_reason = morgue.many(
        ["dead", "list", "--queue", "mail", "--json"], ["dead", "list", "--reason", "timeout"]
    )
    assert [job["id"] for job in of_mail.json["jobs"]] == ["b", "a"]
    assert of_reason.out == "no dead letters\n"


def test_dead_letters_are_grouped(morgue: Program) -> None:
    """A11: the largest group first."""
    plain, json = morgue.many(["dead", "groups"], ["dead", "groups", "--json"])
    rows = [line.split()[:3] for line in plain.out.splitlines()]
    assert rows[1:] == [["2", "mail.send", "attempts"], ["1", "load", "attempts"]]
    assert [(group["task"], group["count"]) for group in json.json["groups"]] == [("mail.send", 2), ("load", 1)]


def test_dead_letters_are_retried_by_id_and_by_filter(morgue: Program) -> None:
    """A11: optionally in another queue."""
    one, some, rest = morgue.many(
        ["dead", "retry", "a", "--to-queue", "vip", "--json"],
        ["dead", "retry", "--task", "mail.send", "--json"],
        ["dead", "retry", "--all"],
    )
    assert one.json == {"retried": ["a"], "errors": []}
    assert some.json == {"retried": 1}
    assert rest.out == "retried 1 job\n"
    assert morgue.app.job("a").queue == "vip"
    assert morgue.app.counts()[State.FAILED] == 0


def test_dead_letters_are_deleted_by_id_and_by_filter(morgue: Program) -> None:
    """A11: many at once only when it is confirmed."""
    one, unconfirmed, some = morgue.many(
        ["dead", "delete", "a", "--json"],
        ["dead", "delete", "--queue", "mail"],
        ["dead", "delete", "--queue", "mail", "--yes", "--json"],
    )
    assert one.json == {"deleted": ["a"], "errors": []}
    assert unconfirmed.is_error(2, "--yes")
    assert some.json == {"deleted": 1}
    assert morgue.app.counts()[State.FAILED] == 1


def test_dead_letters_are_purged_by_age(morgue: Program) -> None:
    """A11."""
    unconfirmed, old, rest = morgue.many(
        ["dead", "purge", "--older-than", "30d"],
        ["dead", "purge", "--older-than", "30d", "--yes", "--json"],
        ["dead", "purge", "--yes"],
    )
    assert unconfirmed.is_error(2, "older than 30d", "--yes")
    assert old.json == {"deleted": 0}
    assert rest.out == "deleted 3 jobs\n"
    assert morgue.app.job("alive").state is State.PENDING


@pytest.mark.parametrize("command", ["retry", "delete"])
def test_only_dead_letters_are_meant(morgue: Program, command: str) -> None:
    alive, none, both = morgue.many(["dead", command, "alive"], ["dead", command], ["dead", command, "a", "--all"])
    assert alive.is_error(1, "job alive is pending, not a dead letter")
    assert none.is_error(2, "say which")
    assert both.is_error(2, "say which")


def test_a_group_is_retried_at_a_rate(morgue: Program) -> None:
    """F7."""
    group = morgue("dead", "groups", "--json").json["groups"][0]["group"]
    listed, one, wrong, many = morgue.many(
        ["dead", "list", "--group", group, "--json"],
        ["dead", "retry", "a", "--rate", "20/s"],
        ["dead", "retry", "--group", group, "--rate", "often"],
        ["dead", "retry", "--group", group, "--rate", "1/h"],
    )
    assert [job["id"] for job in listed.json["jobs"]] == ["c", "b", "a"]
    assert one.is_error(2, "--rate is for many")
    assert wrong.is_error(2, "30/min")
    assert many.out == "retried 3 jobs, 1/h from now on\n"
    counts = morgue.app.counts()
    assert (counts[State.PENDING], counts[State.SCHEDULED]) == (2, 2)


def test_a_group_is_muted_and_unmuted(morgue: Program) -> None:
    """F7: with a reason; it comes last, and the list says by whom, why and until when."""
    group = morgue("dead", "groups", "--json").json["groups"][0]["group"]
    without, muted, listed, json, deploy, unmuted, again, wrong = morgue.many(
        ["dead", "mute", group],
        ["dead", "mute", group, "--for", "2d", "--reason", "the bank moves", "--json"],
        ["dead", "groups"],
        ["dead", "groups", "--json"],
        ["dead", "mute", group, "--until-deploy", "--reason", "fixed"],
        ["dead", "unmute", group],
        ["dead", "unmute", group],
        ["dead", "mute", "often", "--reason", "x"],
    )
    assert without.is_error(2, "--reason")
    assert (muted.json["group"], muted.json["reason"]) == (group, "the bank moves")
    assert "muted" in listed.out
    assert listed.out.splitlines()[-1].endswith(": the bank moves")
    assert json.json["groups"][-1]["muted"] is True
    assert json.json["mutes"] == [muted.json]
    assert "until the next deploy" in deploy.out
    assert unmuted.out == f"group {group} counts again\n"
    assert again.is_error(1, f"group {group} is not muted")
    assert wrong.is_error(2, "12 hexadecimal digits")
    said = [(entry.action, entry.target) for entry in morgue.app.audit().entries]
    assert said == [("dead unmute", group), ("dead mute", group), ("dead mute", group)]
