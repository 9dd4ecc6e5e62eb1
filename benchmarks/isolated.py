"""The task of the process drain, at the top level of a module, where child processes find it."""

from __future__ import annotations

from windlass import Windlass

app = Windlass("sqlite:///:memory:")
"""Children never ask a store; that of the round is known to their worker."""


@app.task(name="bench.process", isolation="process")
def noop_process(index: int) -> None:
    pass
