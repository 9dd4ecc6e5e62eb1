"""Run a server program until a block ends, or until we end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.account import Account

GUARD = Path(__file__).with_name("guard.py")
START_SECONDS = 60
STOP_SECONDS = 20
PORT_ATTEMPTS = 10


class ServerFailed(Exception):
    """A server did not start; the message ends with its log."""


class PortTaken(Exception):
    """Another process took the port between our choice and the server's start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one kind of server runs in a folder of its own."""

    folder: Path
    account: Account
    command: Callable[[int], Sequence[str]]
    """The command line for a port."""
    is_ready: Callable[[], bool]
    """Asks by way of the folder, not by the port: behind the port may be another's server."""
    stop_by: signal.Signals
    preload: str | None = None
    """A library that the server is loaded with, such as another allocator."""


def environment() -> dict[str, str]:
    """Ours without what would steer PostgreSQL, and with messages in English."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))}
    return kept | {"LC_ALL": "C"}


def free_port() -> int:
    """A port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(recipe: Recipe) -> Iterator[int]:
    """Run the server on a free port of 127.0.0.1, which is given; a port lost to another process is replaced."""
    for _ in range(PORT_ATTEMPTS):
        port = free_port()
        with _guarded(recipe, port) as guard:
            try:
                _await_ready(recipe, guard)
            except PortTaken:
                continue
            yield port
            return
    raise ServerFailed(f"{recipe.command(0)[0]}: {PORT_ATTEMPTS} ports in a row were taken by other processes")


@contextmanager
def running_at(recipe: Recipe, port: int) -> Iterator[None]:
    """Run the server on this port; ``PortTaken`` if that is not free."""
    with _guarded(recipe, port) as guard:
        _await_ready(recipe, guard)
        yield


@contextmanager
def _guarded(recipe: Recipe, port: int) -> Iterator[subprocess.Popen[bytes]]:
    log = recipe.folder / "log"
    log.write_bytes(b"")
    uid = "" if recipe.account.uid is None else str(recipe.account.uid)
    arguments = [str(recipe.folder), uid, str(int(recipe.stop_by)), *recipe.command(port)]
    with log.open("ab") as errors:
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARD), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment() | ({"LD_PRELOAD": recipe.preload} if recipe.preload else {}),
            start_new_session=True,  # an interrupt at the terminal is for the tests; they end the server in order
        )
    try:
        yield guard
    finally:
        # Not only by closing its input: a child that a test forked may hold that open.
        guard.terminate()
        try:
            guard.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            guard.kill()
            guard.communicate()


def _await_ready(recipe: Recipe, guard: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not recipe.is_ready():
        if guard.poll() is not None or time.monotonic() > deadline:
            log = (recipe.folder / "log").read_text(errors="replace")
            if "Address already in use" in log:
                raise PortTaken
            raise ServerFailed(f"{recipe.command(0)[0]} did not start:\n{log[-4000:]}")
        time.sleep(0.01)
