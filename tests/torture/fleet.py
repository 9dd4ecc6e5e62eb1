"""The processes of a run: workers that are restarted when they end, as a service manager does, and producers.

A web process and a client that claims from it are kept running beside them.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.child_processes import children_of
from tests.torture.traffic.setting import NARROW, RATED
from tests.torture.workload import BRIEF, OWN, QUEUES, Spice

ROOT = Path(__file__).parents[2]
LEASE = 3.0
LONG_LEASE = 12.0
"""Of a slot that keeps its jobs through an outage in which calls fail, as leases usually do: a call has 5 s."""
GRACE = 2.0
PRODUCERS = 2
WEB, CLAIMER = "web", "claimer"
STUCK = 3
"""The exit code of a producer that can enqueue no more, though the store is there."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one ``windlass worker`` command."""

    name: str
    concurrency: int
    processes: int | None = None
    lease: float = LEASE

    @property
    def own_queue(self) -> str:
        return f"{self.name}-{OWN}"

    @property
    def arguments(self) -> list[str]:
        queues = ",".join([*QUEUES, BRIEF, NARROW, RATED, self.own_queue])
        supervised = [] if self.processes is None else [f"--processes={self.processes}"]
        return [
            *("worker", "-A", "tests.torture.tasks:app", "-q", queues, "-c", str(self.concurrency)),
            *("--children=1", f"--lease={self.lease}s", f"--grace={GRACE}s", f"--name={self.name}", *supervised),
        ]


SLOTS = (Slot("alone", 4, lease=LONG_LEASE), Slot("wide", 10), Slot("pair", 3, processes=2))
SHORT_LEASES = tuple(slot for slot in SLOTS if slot.lease == LEASE)


class Program:
    """One command that is kept running."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.name = name
        self._command = [sys.executable, *command]
        self._environment = {**os.environ, **environment}
        self._log = log
        self.starts = 0
        self.exits: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_up(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        self.starts += 1
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def tend(self) -> None:
        """Start it again if it has ended."""
        if self._process is not None and self._process.poll() is not None:
            self.exits.append(self._process.returncode)
            self.start()

    def signal(self, number: signal.Signals) -> None:
        if self.is_up:
            os.kill(self.pid, number)

    def end(self, *, within: float, wrong: Collection[int] = (), on_overdue: Callable[[], None]) -> str | None:
        """SIGTERM and wait; what is wrong with how it ended, if anything.

        Most codes tell how soon it was, not how well: a supervisor kills what does not get its turn to end. One that is
        still there is looked at by ``on_overdue`` and killed.
        """
        if self._process is None:
            return None
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(within)
        except subprocess.TimeoutExpired:
            on_overdue()
            self.kill()
            return f"{self.name}: was still there {within:g} s after SIGTERM"
        return f"{self.name}: ended with code {code} after SIGTERM" if code in wrong else None

    def kill(self) -> None:
        """End it and what it started, whatever they do."""
        if self._process is None:
            return
        for pid in [*descendants(self._process.pid), self._process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()


class Fleet:
    """All of them."""

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        *,
        of_callers: Mapping[str, str],
        seed: int,
        spices: Sequence[str],
        rate: float,
    ) -> None:
        paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        environment = {**environment, **paths}
        self.workers = {
            slot.name: Program(slot.name, ["-m", "windlass", *slot.arguments], environment, folder / f"{slot.name}.log")
            for slot in SLOTS
        }
        self._folder, self._environment = folder, environment
        self._of_callers = {**of_callers, **paths}
        self._seed, self._spices, self._rate = seed, list(spices), rate
        self._numbers = count()
        self.producers = [self._producer() for _ in range(PRODUCERS)]
        self.beside = self._web() if Spice.LEASES in spices else {}
        """The web process and its client, by name; the client comes first, so that it ends first."""

    def _web(self) -> dict[str, Program]:
        port = free_port()
        commands = {
            CLAIMER: ["-m", "tests.torture.leases.claimer", f"http://127.0.0.1:{port}"],
            WEB: ["-m", "windlass", "web", "-A", "tests.torture.tasks:app", f"--port={port}"],
        }
        return {
            name: Program(name, command, self._environment, self._folder / f"{name}.log")
            for name, command in commands.items()
        }

    def _producer(self) -> Program:
        # One that takes the place of another has a name of its own, so that its ids are new.
        number = next(self._numbers)
        options = {"seed": self._seed, "caller": f"p{number}", "spices": self._spices, "rate": self._rate}
        command = ["-m", "tests.torture.producer", json.dumps(options)]
        return Program(f"producer{number}", command, self._of_callers, self._folder / f"producer{number}.log")

    def start_workers(self) -> None:
        for program in self.kept_running:
            program.start()

    @property
    def kept_running(self) -> list[Program]:
        """Those that are started again when they have ended."""
        return [*self.beside.values(), *self.workers.values()]

    def start_producers(self) -> None:
        for program in self.producers:
            program.start()

    def replace_producer(self, index: int) -> None:
        """Kill one, and let another take its place."""
        self.producers[index].kill()
        self.producers[index] = self._producer()
        self.producers[index].start()

    def tend(self) -> None:
        for program in self.kept_running:
            program.tend()

    def pids(self, *, of: Sequence[Slot] = SLOTS) -> list[int]:
        """The worker processes that are there, in a stable order: a supervisor is none, its processes are."""
        found = []
        for slot in of:
            program = self.workers[slot.name]
            if program.is_up:
                found += [program.pid] if slot.processes is None else children_of(program.pid)
        return found

    def all_pids(self) -> list[int]:
        """All processes with all that they started."""
        up = [program.pid for program in [*self.kept_running, *self.producers] if program.is_up]
        return [one for pid in up for one in (pid, *descendants(pid))]

    def kill(self) -> None:
        for program in [*self.kept_running, *self.producers]:
            program.kill()


def free_port() -> int:
    """One that a process can have, and its successors."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def descendants(pid: int) -> list[int]:
    return [one for child in children_of(pid) for one in (*descendants(child), child)]
