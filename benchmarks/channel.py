"""Talking to processes of the benchmark: a request a line, an answer a line. Imports nothing of Windlass."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

ROOT = Path(__file__).resolve().parent.parent

Handler = Callable[[], Mapping[str, Any]]


class Child:
    """A Python process that runs one of our modules and answers requests; ready once it is made."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self._module = module
        self._answer()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def ask(self, request: str) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Let it end by itself, which the end of its input tells it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._module} ended without an answer (exit code {self._process.wait()})")
        answer: dict[str, Any] = json.loads(line)
        return answer


def serve(handlers: Mapping[str, Handler]) -> None:
    """Answer requests until the input ends, as it does when whoever asks is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever else is printed here is no answer
    _say({}, answers)
    for line in iter(sys.stdin.readline, ""):
        _say(handlers[line.strip()](), answers)


def usage() -> dict[str, float]:
    """What this process has used: CPU seconds of all its threads, and resident bytes now."""
    return {"cpu": time.process_time(), "rss": resident_bytes()}


def resident_bytes() -> int:
    """The resident memory of this process."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True)
    return int(shown.stdout) * 1024


def _say(answer: Mapping[str, Any], answers: TextIO) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
