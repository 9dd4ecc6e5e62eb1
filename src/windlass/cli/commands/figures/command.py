"""``windlass figures``: counts, times and depths over time."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.commands.figures.view import FigureView
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.insight.figures.aggregate import AGGREGATES
from windlass.insight.figures.figures import KINDS


@click.command()
@click.option("--queue", help="Only jobs of this queue.")
@click.option("--task", help="Only jobs of this task.")
@click.option("--worker", help="What this worker did; its memory and processor time.")
@click.option("--schedule", help="What became of the slots of this schedule.")
@click.option("--store", is_flag=True, help="The store itself: workers, size, memory, connections, latency.")
@click.option("--range", "length", default="1h", show_default=True, help="How far back: 10m, 6h, 7d, 400d.")
@click.option("--step", help="The length of a step, a multiple of 10s; chosen by the range without it.")
@click.option("--by", type=click.Choice(KINDS), help="Also tell the whole range by name; by queue for all jobs.")
@click.option("--aggregate", type=click.Choice(AGGREGATES), help="One number of each measure, of the whole range.")
@with_output
@with_app
@watching
def figures(
    app: Windlass,
    *,
    out: Output,
    queue: str | None,
    task: str | None,
    worker: str | None,
    schedule: str | None,
    store: bool,
    length: str,
    step: str | None,
    by: str | None,
    aggregate: str | None,
) -> None:
    """Show counts, times and depths over time: of all jobs, a queue, a task, a worker, a schedule or the store."""
    is_of_all = not (queue or task or worker or schedule or store)
    found = app.figures(
        queue=queue,
        task=task,
        worker=worker,
        schedule=schedule,
        store=store,
        range=length,
        step=step,
        by=by or ("queue" if is_of_all else None),
    )
    out.show(FigureView(found, by or "queue", aggregate))
