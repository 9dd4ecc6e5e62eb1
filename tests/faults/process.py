"""A process that the test started, and what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from time import monotonic

from tests.child_processes import children_of
from tests.faults.busy_cpu import Turns, turns_of
from tests.leeway import leeway
from tests.places.frozen_process import freeze
from tests.places.place import Place, SqlitePlace
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
_END_OF_PYTHON = 5.0


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a process uses."""

    threads: int
    files: int
    memory: int
    """Bytes that are really in memory."""


def footprint_of(pid: int) -> Footprint:
    process = Path(f"/proc/{pid}")
    pages = int((process / "statm").read_text().split()[1])
    return Footprint(
        threads=len(list((process / "task").iterdir())),
        files=len(list((process / "fd").iterdir())),
        memory=pages * os.sysconf("SC_PAGE_SIZE"),
    )


class Process:
    """Runs a module; everything it prints is read as it comes."""

    def __init__(self, module: str, *arguments: str, place: Place, gates: Path) -> None:
        self._log = (gates / f"{module.rpartition('.')[2]}.log").open("ab")
        self._file = place.path if isinstance(place, SqlitePlace) else None
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "WINDLASS_URL": place.url,
                "NAMESPACE": place.namespace,
                "GATES": str(gates),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._lines: Queue[str | None] = Queue()
        self._kept: deque[str] = deque()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def await_line(self, start: str, *, within: float = PATIENCE) -> str:
        """The rest of the next line that begins so; the test fails when the process ends without it, or is too late."""
        until = monotonic() + within
        while (line := self._next(until)) is not None:
            if line.startswith(start):
                return line.removeprefix(start).strip()
        raise AssertionError(f"the process ended without saying {start!r}")

    def await_ready(self) -> None:
        """Wait until it is up; what a run says before that is still there to be awaited."""
        until, before = monotonic() + PATIENCE, []
        while (line := self._next(until)) is not None and not line.startswith("ready"):
            before.append(line)
        assert line is not None, "the process ended before it was up"
        self._kept.extend(before)

    def rest(self) -> list[str]:
        """What it says until it ends."""
        until = monotonic() + PATIENCE
        lines = []
        while (line := self._next(until)) is not None:
            lines.append(line)
        return lines

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def freeze(self) -> None:
        """Stop it until it is woken by SIGCONT."""
        freeze(self._process.pid, file=self._file)

    def footprint(self) -> Footprint:
        return footprint_of(self._process.pid)

    def turns(self) -> Turns:
        return turns_of(self._process.pid)

    def children(self) -> list[int]:
        """The processes that it started and that are still there."""
        return children_of(self._process.pid)

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self._process.kill()
        self._process.wait()

    def write_line(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def ends_within(self, seconds: float) -> None:
        """Wait until it says that it has stopped, in time, and ends in order.

        What comes after its last word is the end of Python itself, which takes long on a machine that is busy.
        """
        began = monotonic()
        self.await_line("stopped")
        assert monotonic() - began < leeway(seconds)
        assert self.exit_code(within=leeway(_END_OF_PYTHON)) == 0

    def exit_code(self, within: float = PATIENCE) -> int:
        """How it ends by itself; the test fails if it has not within that many seconds."""
        try:
            return self._process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the process is still there after {within:g} s") from None

    def close(self) -> None:
        if self._process.poll() is None:
            self.kill()
        self._reader.join()
        self._log.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _next(self, until: float) -> str | None:
        if self._kept:
            return self._kept.popleft()
        try:
            return self._lines.get(timeout=max(0.0, until - monotonic()))
        except Empty:
            raise AssertionError("the process says nothing") from None


class Processes:
    """Starts processes on one store, and sees to it that none of them outlives the test."""

    def __init__(self, place: Place, gates: Path) -> None:
        gates.mkdir(exist_ok=True)
        self._place = place
        self._gates = gates
        self.folder = gates
        """Where processes leave what they have to show."""
        self._started: list[Process] = []

    def start(self, name: str, *arguments: str) -> Process:
        """One of the programs in ``tests.faults.programs``."""
        return self._start(f"tests.faults.programs.{name}", *arguments)

    def windlass(self, command: str, *arguments: str) -> Process:
        """A command of the app that those programs share."""
        return self._start("windlass", command, "-A", "tests.faults.programs.tasks:app", *arguments)

    def _start(self, module: str, *arguments: str) -> Process:
        process = Process(module, *arguments, place=self._place, gates=self._gates)
        self._started.append(process)
        return process

    def worker(self, **options: object) -> Process:
        """A worker process that is up."""
        process = self.doomed_worker(**options)
        process.await_ready()
        return process

    def doomed_worker(self, **options: object) -> Process:
        """A worker process that a job kills, perhaps before it says that it is up."""
        return self.start("worker", json.dumps(options))

    def open_gate(self, id: str, run: int) -> None:
        """Let a run of a ``hold`` job go on; ``run`` is how often its fence was raised."""
        (self._gates / f"{id}.{run}").touch()

    def held(self, moment: str, **options: object) -> Process:
        """A worker process that will stand still at a moment of ``moments.py``."""
        return self.start("held", json.dumps([moment, options]))

    def go_on(self) -> None:
        """Let a process that stands still at its moment go on."""
        (self._gates / "go-on").touch()

    def close(self) -> None:
        for process in self._started:
            process.close()
