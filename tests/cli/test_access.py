"""``windlass tokens`` and ``windlass audit``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from tests.cli.program import Program
from windlass.cli.main import program

LOOKING = {"deliveries", "stacks", "list", "show", "why", "timeline", "groups", "peek", "preview", "limits", "generate"}
"""The commands of groups that change nothing."""
NOT_AUDITED = {"schedules recompute", "alerts test"}
"""What changes nothing that a person has decided."""


def test_a_token_is_shown_once_listed_and_revoked(windlass: Program) -> None:
    """B21: tokens on the command line."""
    windlass.app.enqueue("mail.welcome", 1)
    nothing, added, taken, worker, listed, json, revoked, after, unknown = windlass.many(
        ["tokens", "list"],
        ["tokens", "add", "ci", "--role", "operator", "--expires", "30d"],
        ["tokens", "add", "ci"],
        ["tokens", "add", "tts", "--role", "worker", "--queues", "tts, mail", "--json"],
        ["tokens", "list"],
        ["tokens", "list", "--json"],
        ["tokens", "revoke", "ci"],
        ["tokens", "list", "--json"],
        ["tokens", "revoke", "xyz"],
    )
    assert nothing.out == "no tokens yet\n"
    said, text = added.out.splitlines()
    assert said.startswith("token ci (operator, until ")
    assert text.startswith("wl_")
    assert taken.is_error(2, "there is a token 'ci' already")
    assert worker.json["token"].startswith("wl_")
    assert worker.json["queues"] == ["mail", "tts"]
    assert [line.split()[:4] for line in listed.out.splitlines()] == [
        ["TOKEN", "ROLE", "STATE", "USED"],
        ["ci", "operator", "valid", "-"],
        ["tts", "worker", "valid", "-"],
    ]
    assert text not in listed.out + json.out
    assert [token["state"] for token in json.json["tokens"]] == ["valid", "valid"]
    assert revoked.out == "revoked token ci\n"
    assert [token["state"] for token in after.json["tokens"]] == ["revoked", "valid"]
    assert unknown.is_error(1, "no token is called 'xyz'")


def test_wrong_tokens_are_told(windlass: Program) -> None:
    """B21: and nothing is stored."""
    windlass.app.enqueue("mail.welcome", 1)
    role, queues, viewer, name, expires, listed = windlass.many(
        ["tokens", "add", "a", "--role", "god"],
        ["tokens", "add", "a", "--role", "worker"],
        ["tokens", "add", "a", "--queues", "mail"],
        ["tokens", "add", "a b"],
        ["tokens", "add", "a", "--expires", "0s"],
        ["tokens", "list"],
    )
    assert role.is_error(2, "--role")
    assert queues.is_error(2, "needs the queues")
    assert viewer.is_error(2, "queues go with the role worker")
    assert name.is_error(2, "token name 'a b'")
    assert expires.is_error(2, "expires must be longer than 0")
    assert listed.out == "no tokens yet\n"


def test_what_commands_change_is_recorded(windlass: Program) -> None:
    """B21: who, what, to how many; also where some of it failed, and no secret."""
    for id in ("one", "two", "three"):
        windlass.app.enqueue_many([windlass.app.request("mail.welcome", [1], id=id)])
    _, _, deleted, _, token, table, first, second = windlass.many(
        ["queues", "pause", "default", "--reason", "holiday"],
        ["jobs", "cancel", "one", "unknown"],
        ["jobs", "delete", "--queue", "default", "--yes"],
        ["jobs", "delete", "--queue", "empty", "--yes"],
        ["tokens", "add", "ci"],
        ["audit", "list"],
        ["audit", "list", "--limit", "3", "--json"],
        ["audit", "list", "--cursor", "2", "--json"],
    )
    assert deleted.out == "deleted 3 jobs\n"
    entries = first.json["entries"] + second.json["entries"]
    assert [(one["via"], one["action"], one["target"], one["count"]) for one in entries] == [
        ("cli", "tokens add", "ci", 1),
        ("cli", "jobs delete", "queue=default", 3),
        ("cli", "jobs cancel", "one unknown", 1),
        ("cli", "queues pause", "default", 1),
    ]
    assert (first.json["next"], second.json["next"]) == (2, None)
    assert all("@" in one["who"] for one in entries)
    assert token.out.split()[-1] not in table.out + first.out
    assert table.out.splitlines()[0].split() == ["WHEN", "WHO", "VIA", "ACTION", "TARGET", "COUNT"]


def _commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{before}{name} ")
        elif before:
            yield f"{before}{name}", command


def _is_audited(command: click.Command) -> bool:
    function: object = command.callback
    while function is not None:
        if getattr(function, "is_audited", False):
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def test_every_command_that_changes_something_is_audited() -> None:
    """B21: a new command without a trail fails here."""
    changing = {name for name, _ in _commands(program) if name.split()[-1] not in LOOKING} - NOT_AUDITED
    assert changing == {name for name, command in _commands(program) if _is_audited(command)}
