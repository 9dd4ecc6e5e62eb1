"""``windlass worker`` as a service would run it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.channel import ROOT
from benchmarks.place import Place


@contextmanager
def worker_command(place: Place, app: str, *flags: str, log: Path | None = None) -> Iterator[None]:
    """Run the command on the app of a module; its log goes to a file, or nowhere. SIGTERM ends it."""
    command = [sys.executable, "-m", "windlass", "worker", "-A", app, *flags]
    surroundings = {**os.environ, "WINDLASS_URL": place.url, "WINDLASS_NAMESPACE": place.namespace}
    with Path(log or os.devnull).open("ab") as sink:
        process = subprocess.Popen(
            command, env=surroundings, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sink
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
