"""``windlass move``: from one store to another."""

from __future__ import annotations

import sys
from contextlib import closing

import click

from windlass.app import Windlass
from windlass.cli.logs import set_up_logs
from windlass.cli.output import Output, printing
from windlass.cli.views.said import Said, jobs_counted
from windlass.errors import ConfigError
from windlass.moving import Progress, move


@click.command(name="move")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--queue", metavar="NAME", help="Only the jobs of this queue.")
@click.option("--namespace", default="windlass", show_default=True, help="The namespace at FROM.")
@click.option("--to-namespace", help="The namespace at TO, if it is another one.")
@printing
def move_command(
    *, source: str, target: str, queue: str | None, namespace: str, to_namespace: str | None, out: Output
) -> None:
    """Copy jobs, settings, keys and events from one store URL to another, and compare them.

    The workers of FROM have to be stopped; what was moved is paused there. May be repeated after an interruption.
    """
    set_up_logs(default="error")
    if (source, namespace) == (target, to_namespace or namespace):
        raise ConfigError(f"{source}: FROM and TO are the same store")
    with (
        closing(Windlass(source, namespace=namespace)) as old,
        closing(Windlass(target, namespace=to_namespace or namespace)) as new,
    ):
        moved = move(old._session, new._session, queue=queue, report=_Meter())
        what = "everything there" if queue is None else f"queue {queue!r} there"
        sentence = (
            f"{jobs_counted(moved.jobs)} and {moved.queues} queue settings of {old.store} are at {new.store}, "
            f"{moved.added:,} of them new; checksum {moved.checksum[:16]}; {moved.seconds:.1f} s"
        )
        values = {
            "from": old.store,
            "to": new.store,
            "jobs": moved.jobs,
            "added": moved.added,
            "queues": moved.queues,
            "checksum": moved.checksum,
            "seconds": round(moved.seconds, 3),
        }
        out.show(Said(sentence, values, [f"{old.store} still has its jobs; {what} is paused"]))


class _Meter:
    """Shows on stderr how far it is: in one line at a terminal, else a line for each tenth."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown = ("", -1)

    def __call__(self, progress: Progress) -> None:
        tenth = 10 * progress.done // max(1, progress.total)
        is_done = progress.done >= progress.total
        if self._is_terminal or (progress.step, tenth) != self._shown:
            self._shown = (progress.step, tenth)
            line = f"{progress.step} {progress.done:,} of {jobs_counted(progress.total)}"
            click.echo(f"\r{line}\033[K" if self._is_terminal else line, err=True, nl=is_done or not self._is_terminal)
