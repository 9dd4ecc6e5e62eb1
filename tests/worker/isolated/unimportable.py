"""A module that a worker can import and its children cannot."""

from __future__ import annotations

import multiprocessing

from windlass import Windlass

app = Windlass("sqlite:///:memory:")

if multiprocessing.parent_process() is not None:
    raise ImportError("this machine lacks a library")


@app.task(name="never", isolation="process")
def never() -> None: ...
