"""The ``windlass`` program: all commands together."""

from __future__ import annotations

from collections.abc import Sequence

import click

from windlass.cli.dead import dead
from windlass.cli.demo.command import demo
from windlass.cli.dev import dev
from windlass.cli.duties import duties
from windlass.cli.enqueue import enqueue
from windlass.cli.failure import failure_code
from windlass.cli.jobs import jobs
from windlass.cli.migrate import migrate
from windlass.cli.move import move_command
from windlass.cli.queues import queues
from windlass.cli.status import status
from windlass.cli.worker import worker
from windlass.cli.workers import workers
from windlass.errors import WindlassError
from windlass.version import VERSION


class InOrder(click.Group):
    """Lists its commands as they were added: those one needs first come first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="windlass")
def program() -> None:
    """Background jobs for Python: a job runs at least once and ends once."""


for command in (demo, dev, worker, duties, enqueue, jobs, queues, dead, workers, status, migrate, move_command):
    program.add_command(command)


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code."""
    try:
        code = program.main(list(arguments), prog_name="windlass", standalone_mode=False)
    except (click.ClickException, click.Abort, WindlassError) as error:
        return failure_code(error)
    return code if isinstance(code, int) else 0
