"""Commands that only look make no store: where there is none they say so in one line and exit with 1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.program import Program
from tests.places.fixtures import PlaceOn
from windlass import Windlass
from windlass.cli.main import program

LOOKING = {
    "status": "",
    "top": "",
    "check": "",
    "bench": "",
    "jobs list": "",
    "jobs show": "x",
    "jobs why": "x",
    "flows show": "x",
    "jobs timeline": "x",
    "jobs retry": "x",
    "jobs cancel": "x",
    "jobs fail": "x",
    "jobs delete": "x",
    "queues list": "",
    "queues show": "mail",
    "queues peek": "mail",
    "queues pause": "mail",
    "queues resume": "mail",
    "queues purge": "mail --yes",
    "queues delete": "mail --yes",
    "dead list": "",
    "dead groups": "",
    "dead mute": "0123456789ab --reason known",
    "dead unmute": "0123456789ab",
    "dead resume": "x",
    "dead retry": "--all",
    "dead delete": "--all --yes",
    "dead purge": "--yes",
    "workers list": "",
    "workers show": "w",
    "workers stacks": "w",
    "workers pause": "w",
    "workers resume": "w",
    "workers stop": "w",
    "workers forget": "w",
    "schedules list": "",
    "schedules show": "x",
    "schedules edit": "x --jitter 1s",
    "schedules pause": "x",
    "schedules resume": "x",
    "schedules run": "x",
    "schedules preview": "x",
    "schedules delete": "x --yes",
    "schedules recompute": "",
    "keys list": "",
    "keys limits": "",
    "tokens list": "",
    "tokens revoke": "x",
    "audit list": "",
    "alerts list": "",
    "alerts show": "x",
    "alerts ack": "x",
    "alerts resolve": "x",
    "alerts deliveries": "",
    "alerts silence": "x --for 2h",
    "alerts unsilence": "x",
    "alerts rules list": "",
    "alerts rules show": "x",
    "alerts rules edit": "x --window 1m",
    "alerts rules enable": "x",
    "alerts rules disable": "x",
    "alerts rules delete": "x --yes",
    "archive list": "",
    "archive show": "x",
    "archive restore": "x",
    "limits list": "",
    "tasks list": "",
    "tasks set": "x --rate 3/s",
    "tasks resume": "x",
    "figures": "",
    "limits drain": "x",
    "limits resume": "x",
    "limits delete": "x --yes",
}
"""What looks, or changes only what it finds; each with arguments that suffice."""

NOT_LOOKING = {
    "alerts test",
    "demo",
    "dev",
    "worker",
    "duties",
    "web",
    "password",
    "enqueue",
    "queues set",
    "schedules add",
    "keys generate",
    "keys set",
    "rekey",
    "limits set",
    "alerts rules add",
    "tokens add",
    "doctor",
    "migrate",
    "move",
}
"""What makes a store; ``move`` makes its target, and refuses a source that is not there. To ``doctor`` a store that is
not there is a finding.
"""


def _commands(group: click.Group, before: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield before + name


def test_every_command_looks_or_does_not() -> None:
    assert LOOKING.keys().isdisjoint(NOT_LOOKING)
    assert set(_commands(program)) == LOOKING.keys() | NOT_LOOKING


@pytest.mark.parametrize("store", ["sqlite", "postgres", "redis"])
def test_a_command_that_looks_at_a_store_that_is_not_there_names_it(
    tmp_path: Path, place_on: PlaceOn, store: str
) -> None:
    url = place_on(store).url.replace("jobs.db", "nobodys.db")
    windlass = Program(tmp_path)
    with Windlass(url, namespace="nobodys") as app:
        assert not app.client.session.exists()
        there = ["--url", url, "--namespace", "nobodys"]
        commands = [[*name.split(), *arguments.split(), *there] for name, arguments in LOOKING.items()]
        for command, answer in zip(commands, windlass.many(*commands), strict=True):
            assert answer.is_error(1, f"there is no store at {app.store}"), (command, answer)
            assert answer.out == "", command
        assert not app.client.session.exists()
    assert list(tmp_path.glob("nobodys*")) == []


def test_a_folder_without_jobs_has_no_store(tmp_path: Path) -> None:
    windlass = Program(tmp_path)
    assert windlass("status").is_error(1, f"there is no store at {tmp_path}/windlass.db", "--url", "--app")
    assert list(tmp_path.iterdir()) == []


def test_migrate_shows_the_sql_of_a_store_that_is_not_there_and_makes_none(tmp_path: Path) -> None:
    windlass = Program(tmp_path)
    assert windlass("migrate", "--sql", "--url", f"sqlite:///{tmp_path}/jobs.db").code == 0
    assert list(tmp_path.iterdir()) == []
