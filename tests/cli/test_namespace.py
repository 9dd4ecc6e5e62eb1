"""``--namespace``: on every command, for a store or an app."""

from __future__ import annotations

import click

from tests.cli.program import Program
from windlass import Windlass
from windlass.cli.main import program

NEEDS_NONE = {"demo", "keys generate", "password"}
"""They ask no store, or one of their own."""


def test_every_command_takes_a_namespace() -> None:
    def leaves(group: click.Group, path: str = "") -> list[tuple[str, click.Command]]:
        found: list[tuple[str, click.Command]] = []
        for name, command in group.commands.items():
            whole = f"{path} {name}".strip()
            found += leaves(command, whole) if isinstance(command, click.Group) else [(whole, command)]
        return found

    missing = {name for name, command in leaves(program) if "namespace" not in {one.name for one in command.params}}
    assert missing == NEEDS_NONE


def test_a_namespace_is_looked_at_and_worked_in(windlass: Program, redis_url: str) -> None:
    windlass.write("shop.py", "from windlass import Windlass\napp = Windlass()\n@app.task(name='t')\ndef t(): ...\n")
    given = ("--url", redis_url, "--namespace", "test_namespace_shop")
    with Windlass(redis_url, namespace="test_namespace_shop") as shop:
        job = shop.enqueue("t")
        assert [found["id"] for found in windlass.json("jobs", "list", *given)["jobs"]] == [job.id]
        assert windlass("worker", "-A", "shop", "--burst", *given).code == 0
        assert job.refresh().done
        job.delete()


def test_an_app_that_names_another_is_refused(windlass: Program) -> None:
    windlass.write("shop.py", "from windlass import Windlass\napp = Windlass(namespace='shop')\n")
    answer = windlass("jobs", "list", "-A", "shop", "--namespace", "other")
    assert answer.is_error(2, "--namespace is not the one that the app names for itself (shop)")


def test_it_may_stand_in_the_environment(windlass: Program) -> None:
    answer = windlass("jobs", "list", "--namespace", "shop", WINDLASS_NAMESPACE="other")
    assert "not the one" not in answer.error
