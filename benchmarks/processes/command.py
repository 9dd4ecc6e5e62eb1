"""``windlass worker`` and ``windlass web`` as a service would run them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.channel import ROOT
from benchmarks.place import Place


@contextmanager
def worker_command(
    place: Place, app: str, *flags: str, log: Path | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Run the command on the app of a module; its log goes to a file, or nowhere. SIGTERM ends it."""
    with Path(log or os.devnull).open("ab") as sink:
        process = subprocess.Popen(
            _command("worker", app, *flags),
            env={**_surroundings(place), **(environment or {})},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=sink,
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextmanager
def web_command(place: Place, app: str) -> Iterator[str]:
    """Serve the app of a module at a port of its own; the address. What goes wrong in it is told on stderr."""
    process = subprocess.Popen(
        _command("web", app, "--port=0", "--json"),
        env={**_surroundings(place), "WINDLASS_LOG": "warning"},
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        started = process.stdout.readline()
        if not started:
            raise RuntimeError(f"windlass web ended without an address (exit code {process.wait()})")
        yield json.loads(started)["address"]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
        process.stdout.close()


def _command(name: str, app: str, *flags: str) -> list[str]:
    return [sys.executable, "-m", "windlass", name, "-A", app, *flags]


def _surroundings(place: Place) -> dict[str, str]:
    return {**os.environ, "WINDLASS_URL": place.url, "WINDLASS_NAMESPACE": place.namespace}
