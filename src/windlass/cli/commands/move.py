"""``windlass move``: from one store to another."""

from __future__ import annotations

import sys
from contextlib import closing

import click

from windlass.admin.move import Progress, move, place
from windlass.app import Windlass
from windlass.cli.errors import Interrupted, Problem
from windlass.cli.logs import set_up_logs
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message, counted, jobs_counted
from windlass.errors import IdConflict, StoreUnavailable
from windlass.store.open import DEFAULT_NAMESPACE


@click.command(name="move")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--queue", metavar="NAME", help="Only the jobs of this queue.")
@click.option("--namespace", default=DEFAULT_NAMESPACE, show_default=True, help="The namespace at FROM.")
@click.option("--to-namespace", help="The namespace at TO, where it is not that of FROM.")
@with_output
def move_command(
    *, source: str, target: str, queue: str | None, namespace: str, to_namespace: str | None, out: Output
) -> None:
    """Copy jobs, settings, keys and events from one store URL to another, and compare them.

    The workers of both have to be stopped; what was moved is paused at FROM. May be repeated after an interruption.
    """
    set_up_logs(default="error")
    with (
        closing(Windlass(source, namespace=namespace)) as old,
        closing(Windlass(target, namespace=to_namespace or namespace)) as new,
    ):
        left, reached = place(old.client.session), place(new.client.session)
        what = "everything there" if queue is None else f"queue {queue!r} there"
        meter = _Meter()
        try:
            moved = move(old.client.session, new.client.session, queue=queue, report=meter)
        except KeyboardInterrupt:
            raise Interrupted(_how_it_was_left(meter, left, what)) from None
        except (StoreUnavailable, IdConflict) as error:
            meter.end_line()
            kept = f"; {_kept(left, what)}" if meter.has_begun else ""
            raise Problem(f"{error}{kept}") from error
        settings = f"the settings of {counted(moved.queues, 'queue')}"
        sentence = (
            f"{jobs_counted(moved.jobs)} and {settings} of {left} are at {reached}; "
            f"{moved.added:,} of the jobs are new; checksum {moved.checksum[:16]}; {moved.seconds:.1f} s"
        )
        values = {
            "from": old.store,
            "from_namespace": namespace,
            "to": new.store,
            "to_namespace": to_namespace or namespace,
            "jobs": moved.jobs,
            "added": moved.added,
            "queues": moved.queues,
            "checksum": moved.checksum,
            "seconds": round(moved.seconds, 3),
        }
        out.show(Message(sentence, values, [f"{left} still has its jobs; {what} is paused"]))


def _how_it_was_left(meter: _Meter, left: str, what: str) -> str:
    meter.end_line()
    if not meter.has_begun:
        return f"interrupted before anything was moved from {left}"
    return f"interrupted; {_kept(left, what)}; the same command goes on where this one stopped"


def _kept(left: str, what: str) -> str:
    return f"{left} still has its jobs, {what} stays paused"


class _Meter:
    """Shows the progress on stderr: in one line at a terminal, else a line for each tenth."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown = ("", -1)
        self._is_line_open = False
        self.has_begun = False

    def __call__(self, progress: Progress) -> None:
        self.has_begun = True
        tenth = 10 * progress.done // max(1, progress.total)
        is_done = progress.done >= progress.total
        if self._is_terminal or (progress.step, tenth) != self._shown:
            self._shown = (progress.step, tenth)
            line = f"{progress.step} {progress.done:,} of {jobs_counted(progress.total)}"
            self._is_line_open = self._is_terminal and not is_done
            click.echo(f"\r{line}\033[K" if self._is_terminal else line, err=True, nl=not self._is_line_open)

    def end_line(self) -> None:
        """Let the next output begin on a line of its own."""
        if self._is_line_open:
            click.echo(err=True)
            self._is_line_open = False
