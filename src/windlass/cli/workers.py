"""``windlass workers``: look at workers, pause and resume them."""

from __future__ import annotations

import click

from windlass.actor import actor
from windlass.app import Windlass
from windlass.cli.failure import Problem
from windlass.cli.managing import managing
from windlass.cli.output import Output, printing
from windlass.cli.views.said import Said
from windlass.cli.views.worker import WorkerDetail, WorkerList
from windlass.cli.watch import watching

_worker = click.argument("worker", metavar="NAME-OR-ID")


@click.group()
def workers() -> None:
    """Look at workers, pause and resume them."""


@workers.command("list")
@printing
@managing
@watching
def list_workers(app: Windlass, *, out: Output) -> None:
    """List the workers that live, and those that were lost within a day."""
    out.show(WorkerList(app.workers()))


@workers.command()
@_worker
@printing
@managing
def show(app: Windlass, *, out: Output, worker: str) -> None:
    """Show everything about one worker."""
    for found in app.workers():
        if worker in (found.id, found.name):
            out.show(WorkerDetail(found))
            return
    raise _nobody(worker)


@workers.command()
@_worker
@printing
@managing
def pause(app: Windlass, *, out: Output, worker: str) -> None:
    """Let one worker claim no more; what it runs goes on."""
    reached = _reached(app.pause_worker(worker, by=actor()), worker)
    out.show(
        Said(f"asked {worker} to pause; it follows within 2 s", {"worker": worker, "paused": True, "reached": reached})
    )


@workers.command()
@_worker
@printing
@managing
def resume(app: Windlass, *, out: Output, worker: str) -> None:
    """Let a paused worker go on."""
    reached = _reached(app.resume_worker(worker, by=actor()), worker)
    out.show(
        Said(f"asked {worker} to go on; it follows within 2 s", {"worker": worker, "paused": False, "reached": reached})
    )


def _reached(count: int, worker: str) -> int:
    if count == 0:
        raise _nobody(worker)
    return count


def _nobody(worker: str) -> Problem:
    return Problem(f"no worker has the name or id {worker!r}; see: windlass workers list")
