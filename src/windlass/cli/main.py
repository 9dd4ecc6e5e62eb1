"""The ``windlass`` program: all commands."""

from __future__ import annotations

from collections.abc import Sequence

import click

from windlass.cli.access.audit import audit
from windlass.cli.access.tokens import tokens
from windlass.cli.alerts.command import alerts
from windlass.cli.archive.command import archive
from windlass.cli.commands.dead import dead
from windlass.cli.commands.duties import duties
from windlass.cli.commands.encryption.rekey import rekey
from windlass.cli.commands.enqueue import enqueue
from windlass.cli.commands.figures.command import figures
from windlass.cli.commands.flows.group import flows
from windlass.cli.commands.jobs import jobs
from windlass.cli.commands.keys import keys
from windlass.cli.commands.limits import limits
from windlass.cli.commands.migrate import migrate
from windlass.cli.commands.move import move_command
from windlass.cli.commands.queues import queues
from windlass.cli.commands.schedules.group import schedules
from windlass.cli.commands.status import status
from windlass.cli.commands.worker import worker
from windlass.cli.commands.workers import workers
from windlass.cli.demo.command import demo
from windlass.cli.dev.command import dev
from windlass.cli.diagnostics.bench import bench
from windlass.cli.diagnostics.check import check
from windlass.cli.diagnostics.doctor import doctor
from windlass.cli.errors import failure_code
from windlass.cli.top.command import top
from windlass.cli.web.command import web
from windlass.cli.web.password import password
from windlass.errors import WindlassError
from windlass.version import VERSION


class InOrder(click.Group):
    """Lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="windlass")
def program() -> None:
    """Background jobs for Python: a job runs at least once and ends once."""


for command in (
    demo,
    dev,
    worker,
    duties,
    web,
    password,
    enqueue,
    jobs,
    flows,
    queues,
    limits,
    keys,
    schedules,
    dead,
    archive,
    alerts,
    workers,
    tokens,
    audit,
    status,
    top,
    doctor,
    check,
    bench,
    figures,
    migrate,
    rekey,
    move_command,
):
    program.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code."""
    try:
        code = program.main(list(arguments), prog_name="windlass", standalone_mode=False)
    except (click.ClickException, click.Abort, WindlassError) as error:
        return failure_code(error)
    return code if isinstance(code, int) else 0
