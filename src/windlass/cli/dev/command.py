"""``windlass dev``: a worker and the API, which restart when code changes."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from windlass.cli.app_option import app_option
from windlass.cli.commands.workers.worker_processes import given_arguments
from windlass.cli.logs import set_up_logs, with_log_options
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.cli.web.command import PORT
from windlass.threads.start import start_thread

if TYPE_CHECKING:
    from windlass.worker.supervisor.wakeup import SupervisorWakeup

log = logging.getLogger("windlass.dev")

_GRACE = 1.0


@click.command()
@app_option
@click.option("--url", metavar="URL", help="The store, in place of the app's own.")
@click.option("--namespace", help="The namespace in the store (or $WINDLASS_NAMESPACE); windlass by default.")
@click.option("-q", "--queues", multiple=True, metavar="NAME[:WEIGHT],...", help="Queues to serve.")
@click.option("-c", "--concurrency", metavar="N", help="Jobs at once; 10 by default.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="Where the API is served.")
@with_log_options
@with_output
def dev(*, out: Output, port: int, log_jobs: str | None, log_format: str | None, **given: object) -> None:
    """Run a worker with its schedules, and the HTTP API, which restart whenever a source file below the working folder
    is saved.

    A job that runs at that moment has a second to end, and is run again after that. A file that cannot be loaded stops
    nothing: the next save is awaited.
    """
    from windlass.worker.supervisor.reexec import argv_of_this_program
    from windlass.worker.supervisor.supervisor import Supervisor, SupervisorSettings
    from windlass.worker.supervisor.wakeup import SupervisorWakeup

    context = click.get_current_context()
    set_up_logs(default="info", log_jobs=log_jobs, log_format=log_format)
    # Python compares compiled code with the second in which its source was saved, which is too coarse here.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    given_here = given_arguments(context, without=("port",))
    command = argv_of_this_program(["worker", *given_here, f"--grace={_GRACE:g}s", f"--web-port={port}"])
    wake, over = SupervisorWakeup(), Event()
    folder = Path.cwd()
    start_thread(_follow_saves, folder, wake, over, name="windlass-saves")
    out.show(Message(f"watching {folder}; stop with Ctrl-C", {"watching": str(folder)}))
    try:
        context.exit(
            Supervisor([command], manner=SupervisorSettings(grace=_GRACE, awaits_change=True), wake=wake).run()
        )
    finally:
        over.set()


def _follow_saves(folder: Path, wake: SupervisorWakeup, over: Event) -> None:
    from windlass.cli.dev.file_watcher import saves

    for files in saves(folder, over):
        log.info("saved: %s; starting anew", ", ".join(os.path.relpath(file, folder) for file in files[:5]))
        wake.renew()
