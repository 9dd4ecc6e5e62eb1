"""A process without special rights that enqueues once and says what came of it.

Usage: python -m tests.store.sqlite.read_only URL
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.store.builders import new_job
from windlass.errors import WindlassError
from windlass.store.open import open_driver
from windlass.store.operation import drive
from windlass.store.operations.enqueue import enqueue


def attempt(url: str) -> str:
    driver = open_driver(url, deadline=0.2)
    try:
        drive(enqueue([new_job()], {}), driver.execute)
    except WindlassError as error:
        return f"{type(error).__name__}: {error}"
    finally:
        driver.close()
    return "stored"


def main(url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        # Loads all that is needed while the interpreter's own files may still be read.
        query = url.partition("?")[2]
        assert attempt(f"sqlite:///{Path(folder) / 'other.db'}?{query}") == "stored"
        if os.geteuid() == 0:
            os.setegid(65534)
            os.seteuid(65534)
        print(attempt(url).replace("\n", " "), flush=True)
        os.seteuid(os.getuid())


if __name__ == "__main__":
    main(sys.argv[1])
