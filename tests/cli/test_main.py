"""The program as a whole: help, wrong use, start-up."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.program import SOURCE, Program
from windlass import __version__
from windlass.cli.main import program

COMMANDS = ["demo", "dev", "worker", "duties", "web", "password", "enqueue", "jobs", "flows", "queues", "tasks"]
COMMANDS += [
    "limits",
    "keys",
    "schedules",
    "dead",
    "archive",
    "alerts",
    "workers",
    "tokens",
    "audit",
    "status",
    "top",
    "doctor",
    "check",
    "bench",
    "figures",
    "migrate",
]
COMMANDS += ["rekey", "move"]


def test_help_names_every_command(shop: Program) -> None:
    answer = shop("--help")
    assert answer.code == 0
    assert [line.split()[0] for line in answer.out.split("Commands:")[1].strip().splitlines()] == COMMANDS


@pytest.mark.parametrize("group", [[], ["jobs"]])
def test_a_group_without_a_command_shows_its_help_as_wrong_use(shop: Program, group: list[str]) -> None:
    answer = shop(*group)
    assert answer.code == 2
    assert answer.out == ""
    assert "Commands:" in answer.error


def test_the_version_is_told(shop: Program) -> None:
    assert shop("--version").out == f"windlass, version {__version__}\n"


def test_wrong_use_is_one_line_and_exit_code_2(shop: Program) -> None:
    assert shop("frobnicate").is_error(2, "no such command 'frobnicate'")
    argument, choice, option = shop.many(["jobs", "show"], ["jobs", "list", "--state", "lost"], ["status", "--colour"])
    assert argument.is_error(2, "missing argument 'ID'")
    assert choice.is_error(2, "--state", "'pending'")
    assert option.is_error(2, "--colour")


def test_the_program_starts_without_what_only_output_and_workers_need() -> None:
    """Start-up stays quick: rich, asyncio and the worker are loaded when they are needed."""
    heavy = ("rich", "asyncio", "windlass.worker.worker", "apsw")
    code = f"import sys, windlass.cli; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_command_is_imported_when_it_is_called() -> None:
    """A start pays for one command, not for all of them."""
    code = "import sys; from windlass.cli.main import run; run(['queues', '--help']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
    )
    imported = set(done.stdout.splitlines()[-1].split())
    assert {f"windlass.cli.commands.{name}" for name in COMMANDS} & imported == {"windlass.cli.commands.queues"}
    assert imported.isdisjoint(["windlass.cli.demo.command", "windlass.cli.top.command", "windlass.web"])


def test_commands_are_where_the_program_looks_for_them_under_their_own_names() -> None:
    assert [(name, command.name) for name, command in program.commands.items()] == [(name, name) for name in COMMANDS]


def test_a_reader_that_leaves_early_is_no_error(shop: Program) -> None:
    """``windlass jobs list | head -0``: no traceback."""
    command = f"{sys.executable} -m windlass jobs list | true"
    environment = {"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=shop.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
