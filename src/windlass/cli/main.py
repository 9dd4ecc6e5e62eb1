"""The ``windlass`` program: all commands."""

from __future__ import annotations

from collections.abc import Sequence

import click

from windlass.cli.errors import failure_code
from windlass.cli.lazy_commands import LazyCommands
from windlass.errors import WindlassError
from windlass.version import VERSION

_HOMES = {
    "demo": "windlass.cli.demo.command:demo",
    "dev": "windlass.cli.dev.command:dev",
    "worker": "windlass.cli.commands.workers.worker:worker",
    "duties": "windlass.cli.commands.duties:duties",
    "web": "windlass.cli.web.command:web",
    "password": "windlass.cli.web.password:password",
    "enqueue": "windlass.cli.commands.enqueue:enqueue",
    "jobs": "windlass.cli.commands.jobs:jobs",
    "flows": "windlass.cli.commands.flows.group:flows",
    "queues": "windlass.cli.commands.queues:queues",
    "tasks": "windlass.cli.commands.tasks.group:tasks",
    "limits": "windlass.cli.commands.limits:limits",
    "keys": "windlass.cli.commands.keys:keys",
    "schedules": "windlass.cli.commands.schedules.group:schedules",
    "dead": "windlass.cli.commands.dead:dead",
    "archive": "windlass.cli.archive.command:archive",
    "alerts": "windlass.cli.alerts.command:alerts",
    "workers": "windlass.cli.commands.workers.workers:workers",
    "tokens": "windlass.cli.access.tokens:tokens",
    "audit": "windlass.cli.access.audit:audit",
    "status": "windlass.cli.commands.status:status",
    "top": "windlass.cli.top.command:top",
    "doctor": "windlass.cli.diagnostics.doctor:doctor",
    "check": "windlass.cli.diagnostics.check:check",
    "bench": "windlass.cli.diagnostics.bench:bench",
    "figures": "windlass.cli.commands.figures.command:figures",
    "migrate": "windlass.cli.commands.migrate:migrate",
    "rekey": "windlass.cli.commands.encryption.rekey:rekey",
    "move": "windlass.cli.commands.move:move_command",
}
"""Where each command is, in the order of ``windlass --help``."""


class InOrder(click.Group):
    """Lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(
    cls=InOrder,
    commands=LazyCommands(_HOMES),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, prog_name="windlass")
def program() -> None:
    """Background jobs for Python: a job runs at least once and ends once."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code."""
    try:
        code = program.main(list(arguments), prog_name="windlass", standalone_mode=False)
    except (click.ClickException, click.Abort, WindlassError) as error:
        return failure_code(error)
    return code if isinstance(code, int) else 0
