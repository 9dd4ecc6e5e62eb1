"""A process that enqueues and says what was acknowledged.

Usage: python -m tests.store.sqlite.writing_process URL endless | asked | SECONDS
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from threading import Thread
from time import monotonic
from uuid import uuid4

from tests.store.builders import new_job
from tests.store.processes import Process
from windlass.errors import StoreUnavailable
from windlass.store.open import open_driver
from windlass.store.operation import drive
from windlass.store.operations import queries
from windlass.store.operations.enqueue import enqueue

BATCH = 3
THREADS = 4


def endless(write: Callable[[str], None]) -> None:
    """Batches of jobs named ``N.0`` to ``N.2``, each told once it is stored, until the process is killed."""
    run = uuid4().hex
    for number in count():
        write(f"{run}-{number}")
        print(f"{run}-{number}", flush=True)


def asked(write: Callable[[str], None]) -> None:
    """One batch for each line of input; then what came of it."""
    for _ in sys.stdin:
        told = "written"
        try:
            write(uuid4().hex)
        except StoreUnavailable as error:
            told = str(error)
        print(told, flush=True)


def ask_to_write(writer: Process) -> str:
    """Have a process that is ``asked`` write one batch; what came of it."""
    writer.say("write")
    return writer.line()


def together(write: Callable[[str], None], look: Callable[[], object], seconds: float) -> None:
    """Several threads write and read for so long; then how many batches, and the errors."""
    written: list[str] = []
    errors: list[str] = []
    end = monotonic() + seconds

    def work() -> None:
        try:
            while monotonic() < end:
                name = uuid4().hex
                write(name)
                written.append(name)
                look()
        except Exception as error:  # whatever reaches the user is what the test asks for
            errors.append(repr(error))

    threads = [Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(len(written), *errors, flush=True)


def main(url: str, how: str) -> None:
    driver = open_driver(url)

    def write(name: str) -> None:
        drive(enqueue([new_job(f"{name}.{part}") for part in range(BATCH)], {}), driver.execute)

    if how == "endless":
        endless(write)
    elif how == "asked":
        asked(write)
    else:
        together(write, lambda: drive(queries.counts(), driver.execute), float(how))
    driver.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
