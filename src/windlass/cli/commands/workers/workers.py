"""``windlass workers``: lists, pauses, stops, forgets."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.commands.workers.worker_stop import StoppedWorkers, unknown_worker
from windlass.cli.errors import Problem
from windlass.cli.output import Output, with_output
from windlass.cli.per_id_results import PerIdResults
from windlass.cli.terminal.watch import watching
from windlass.cli.views.message import Message, counted
from windlass.cli.views.workers import Stacks, WorkerDetail, WorkerList
from windlass.client.config import actor
from windlass.core.units import duration
from windlass.errors import IllegalTransition

_worker = click.argument("worker", metavar="NAME-OR-ID")
_workers = click.argument("names", metavar="NAME-OR-ID...", nargs=-1)


@click.group()
def workers() -> None:
    """Look at workers, pause, resume and stop them, forget lost ones."""


@workers.command("list")
@with_output
@with_app
@watching
def list_workers(app: Windlass, *, out: Output) -> None:
    """List the workers that live, and those that were lost within a day."""
    out.show(WorkerList(app.workers()))


@workers.command()
@_worker
@with_output
@with_app
def show(app: Windlass, *, out: Output, worker: str) -> None:
    """Show everything about one worker."""
    for found in app.workers():
        if worker in (found.id, found.name):
            out.show(WorkerDetail(found))
            return
    raise _no_such_worker(worker)


@workers.command()
@_worker
@with_output
@with_app
@audited
def pause(app: Windlass, *, out: Output, worker: str) -> None:
    """Let one worker claim no more; what it runs goes on."""
    reached = _reached(app, app.pause_worker(worker, by=actor()), worker)
    out.show(_followed(f"asked {worker} to pause", worker, reached, paused=True))


@workers.command()
@_worker
@with_output
@with_app
@audited
def resume(app: Windlass, *, out: Output, worker: str) -> None:
    """Let a paused worker go on."""
    reached = _reached(app, app.resume_worker(worker, by=actor()), worker)
    out.show(_followed(f"asked {worker} to go on", worker, reached, paused=False))


@workers.command()
@_worker
@click.option("--timeout", metavar="TIME", default="30s", show_default=True, help="How long to wait for the answer.")
@with_output
@with_app
def stacks(app: Windlass, *, out: Output, worker: str, timeout: str) -> None:
    """Show where the threads and coroutines of a worker are at this moment.

    The worker is asked through the store, from anywhere. On its own machine, also where it hangs: kill -USR1 PID writes
    them to its log.
    """
    found = app.worker_stacks(worker, timeout=timeout)
    if not found:
        known = any(worker in (one.id, one.name) for one in app.workers())
        raise Problem(f"worker {worker} has not answered within {timeout}" if known else unknown_worker(worker))
    out.show(Stacks(found))


@workers.command()
@click.argument("names", metavar="NAME-OR-ID...", nargs=-1, required=True)
@click.option("--wait", "waits", is_flag=True, help="Come back when they have stopped.")
@click.option(
    "--timeout", metavar="TIME", default="1m", show_default=True, help="How long to wait for that at the most."
)
@with_output
@with_app
@audited
def stop(app: Windlass, *, out: Output, names: tuple[str, ...], waits: bool, timeout: str) -> None:
    """Stop workers in order, as SIGTERM does: they claim no more, what runs has their grace time, the rest goes back.

    A worker process under a parent (--processes) is not replaced; the parent ends with the last of them.
    """
    limit = duration(timeout, "--timeout").total_seconds()
    stopped = StoppedWorkers(app, by=actor())
    for name in dict.fromkeys(names):
        stopped.ask(name)
    if waits:
        stopped.wait(limit)
    stopped.tally.show(out)


@workers.command()
@_workers
@click.option("--lost", "everything", is_flag=True, help="All that are lost.")
@with_output
@with_confirmation
@with_app
@audited
def forget(app: Windlass, *, out: Output, confirm: Confirm, names: tuple[str, ...], everything: bool) -> None:
    """Take lost workers off the lists: those named, or all with --lost. Their jobs are rescued all the same."""
    if bool(names) == everything:
        raise click.UsageError("say which: names or ids of lost workers, or --lost for all of them")
    if everything:
        _forget_all(app, out, confirm)
        return
    tally = PerIdResults({"forgotten": []}, of="worker")
    for name in dict.fromkeys(names):
        try:
            if app.forget_worker(name):
                tally.done["forgotten"].append(name)
            else:
                tally.errors[name] = unknown_worker(name)
        except IllegalTransition as error:
            tally.errors[name] = str(error)
    tally.show(out)


def _forget_all(app: Windlass, out: Output, confirm: Confirm) -> None:
    lost = sum(not worker.is_alive for worker in app.workers())
    if lost:
        confirm(f"Forget {counted(lost, 'lost worker')}?")
    forgotten = app.forget_lost_workers() if lost else 0
    out.show(Message(f"forgot {counted(forgotten, 'lost worker')}", {"forgotten": forgotten}))


def _followed(what: str, worker: str, reached: int, *, paused: bool) -> Message:
    return Message(f"{what}; it follows within 2 s", {"worker": worker, "paused": paused, "reached": reached})


def _reached(app: Windlass, count: int, worker: str) -> int:
    if count:
        return count
    for found in app.workers():
        if worker in (found.id, found.name):
            raise Problem(f"worker {worker} was asked to stop by {found.signalled_by}; that cannot be taken back")
    raise _no_such_worker(worker)


def _no_such_worker(worker: str) -> Problem:
    return Problem(unknown_worker(worker))
