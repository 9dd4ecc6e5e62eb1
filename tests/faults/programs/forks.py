"""A parent with a worker, threads and open connections that forks children; named by what the children do."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from threading import Event, Thread

from tests.faults.programs.tasks import app, hold, note, say
from tests.waiting import PATIENCE
from windlass import ConfigError

# Python 3.12 warns of what these tests are about.
warnings.simplefilter("ignore", DeprecationWarning)


def fork(act: Callable[[], None]) -> int:
    """Run something in a child; its exit status, 0 if it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException as error:
            say("child failed", repr(error))
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def enqueue() -> None:
    """Children enqueue while threads of the parent do the same."""
    enough = Event()

    def write() -> None:
        while not enough.is_set():
            note.enqueue(0)

    threads = [Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(40):
        if fork(lambda: say("child", note.enqueue(1).id)):
            say("failed")
    enough.set()
    for thread in threads:
        thread.join()
    say("parent", note.enqueue(2).id)


def close() -> None:
    """A child closes what it was given; the parent's worker, its lease and its news go on."""
    with app.worker(lease="3s") as worker:
        lease = worker.lease
        job = hold.enqueue()
        while job.refresh().started_at is None:
            Event().wait(0.01)

        def leave() -> None:
            worker.stop()
            app.close()

        say("child", fork(leave))
        say("same lease", worker.lease == lease and job.refresh().record.lease == lease)
        open(f"{os.environ['GATES']}/{job.id}.1", "w").close()
        say("result", job.result(timeout=PATIENCE))
        say("ready")
        sys.stdin.readline()


def work() -> None:
    """A child tries to run its parent's workers."""
    unstarted = app.worker()
    with app.worker() as started:

        def refuse(act: Callable[[], object]) -> None:
            try:
                act()
            except ConfigError as error:
                say("refused", error)

        fork(lambda: refuse(unstarted.start))
        fork(lambda: refuse(started.run_until_empty))

        def own() -> None:
            job = note.enqueue(3)
            started.pause()
            say("own", app.worker().run_until_empty() >= 0, job.result(timeout=PATIENCE))

        started.pause()
        say("child", fork(own))


if __name__ == "__main__":
    {"enqueue": enqueue, "close": close, "work": work}[sys.argv[1]]()
    app.close()
    say("done")
