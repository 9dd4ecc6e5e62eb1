"""``--processes``: a supervisor with worker processes, for ``worker`` and ``dev``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from windlass.cli.logs import set_up_logs
from windlass.cli.output import Command, Output
from windlass.cli.views.message import Message, counted
from windlass.client.config import setting
from windlass.core.units import duration
from windlass.errors import ConfigError

if TYPE_CHECKING:
    from windlass.worker.process.health import Trouble
    from windlass.worker.worker import Worker

_OWN = ("processes", "health_port", "health_host")
"""Options of the parent, which it does not pass on."""


def supervising(command: Command) -> Command:
    """Give a command ``--processes``, with which it runs so many times, in processes of its own; without, it is called
    here, and again in a fresh process when it exits with ``EXIT_RESTART``.
    """

    @click.option(
        "-p",
        "--processes",
        type=click.IntRange(1, 500),
        metavar="N",
        help="Run so many worker processes, and replace those that die. SIGHUP replaces all, one after the other.",
    )
    @wraps(command)
    def run(*, processes: int | None, out: Output, **options: Any) -> None:
        context = click.get_current_context()
        if processes is None:
            _run_here(command, out, options)
        else:
            arguments = [context.command.name or "worker", *given_arguments(context, without=_OWN)]
            code = supervise(_commands(arguments, processes, options["id"]), out=out, options=options)
            context.exit(code)

    return run


def supervise(commands: Sequence[Sequence[str]], *, out: Output, options: dict[str, Any]) -> int:
    """Run worker processes with these commands until a signal; the exit code."""
    from windlass.worker.supervisor.supervisor import Supervisor, SupervisorSettings
    from windlass.worker.supervisor.wakeup import SupervisorWakeup

    set_up_logs(default="info", log_jobs=options["log_jobs"], log_format=options["log_format"])
    grace = duration(options["grace"] or "30s", "grace").total_seconds()
    supervisor = Supervisor(
        commands, manner=SupervisorSettings(grace=grace, is_burst=options["burst"]), wake=SupervisorWakeup()
    )
    with serving_health(
        options, liveness_problem=supervisor.liveness_problem, readiness_problem=supervisor.readiness_problem
    ) as health:
        out.show(
            Message(
                counted(len(commands), "worker process", "worker processes") + _at(health),
                {"processes": len(commands), "health": health},
            )
        )
        return supervisor.run()


def given_arguments(context: click.Context, *, without: Sequence[str] = ()) -> list[str]:
    """The given options of this command, as arguments for another process."""
    arguments: list[str] = []
    for option in context.command.params:
        name = option.name or ""
        if name in without or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if value is True:
            arguments.append(option.opts[0])
        else:
            arguments += [f"{option.opts[-1]}={one}" for one in (value if isinstance(value, tuple) else [value])]
    return arguments


@contextmanager
def serving_health(
    options: dict[str, Any],
    *,
    liveness_problem: Trouble,
    readiness_problem: Trouble,
    metrics: Callable[[], str] | None = None,
) -> Iterator[str | None]:
    """Serve ``--health-port`` if it was given; the address."""
    port = options["health_port"]
    if port is None:
        yield None
        return
    from windlass.worker.process.health import HealthServer

    with HealthServer(
        host=options["health_host"],
        port=port,
        liveness_problem=liveness_problem,
        readiness_problem=readiness_problem,
        metrics=metrics,
    ) as server:
        yield server.address


@contextmanager
def reporting(supervised: str | None, worker: Worker) -> Iterator[None]:
    """Report the state of this worker to the parent, if it has one."""
    if supervised is None:
        yield
        return
    from windlass.worker.supervisor.status_pipe import StatusPipe
    from windlass.worker.ticker import Ticker

    report = StatusPipe(supervised, worker.liveness)
    report.tick()  # before a job can end the process: whatever its exit code, the command was right then
    reporter = Ticker(report.tick, name="report")
    is_misused = False
    reporter.start()
    try:
        yield
    except ConfigError:  # the worker may not use this store
        is_misused = True
        raise
    finally:
        reporter.stop()
        if is_misused:
            report.misused()
        elif worker.is_asked_to_stop:
            report.stopped()


def _at(health: str | None) -> str:
    return "" if health is None else f", health at {health}"


def _commands(arguments: list[str], count: int, id: str | None) -> list[list[str]]:
    """One command for each process; an id that was given for all of them gets their number."""
    from windlass.worker.supervisor.reexec import argv_of_this_program

    id = setting("worker_id", id)
    if id is None:
        return [argv_of_this_program(arguments)] * count
    return [argv_of_this_program([*arguments, f"--id={id}-{number}"]) for number in range(1, count + 1)]


def _run_here(command: Command, out: Output, options: dict[str, Any]) -> None:
    from windlass.worker.process.sighup import hold_hangups
    from windlass.worker.supervisor.reexec import EXIT_RESTART, reexec, stopping_early

    folder = os.getcwd()
    hold_hangups()  # until the worker runs: a second SIGHUP must not end the fresh process
    try:
        with stopping_early() if options["is_restarted"] else nullcontext():
            command(out=out, **options)
    except click.exceptions.Exit as exit:
        if exit.exit_code == EXIT_RESTART and options["supervised"] is None:
            reexec(folder)
        raise
