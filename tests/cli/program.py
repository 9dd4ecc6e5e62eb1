"""Running ``windlass`` as a process of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from tests.places.place import Place
from tests.slow_shutdown import unhurried
from tests.waiting import PATIENCE
from windlass import Windlass

SOURCE = Path(__file__).parents[2] / "src"
DEADLINE = PATIENCE

JOBS = '''
"""An application's jobs."""

import asyncio
from pathlib import Path

from windlass import Retry, Windlass, current_job

app = Windlass()


@app.task(name="mail.welcome", queue="mail")
def welcome(user_id: int, password: str = "") -> str:
    return f"welcome {user_id}"


@app.task(name="broken", retry=Retry(attempts=1))
def broken(text: str) -> None:
    raise ValueError(text)


@app.task(name="listen")
def listen(pipe: str) -> str:
    """Runs until somebody writes into the pipe."""
    print("listening", flush=True)
    return Path(pipe).read_text()


@app.task(name="forever")
async def forever() -> None:
    current_job().progress(0.4, "on and on")
    print("forever", flush=True)
    await asyncio.Event().wait()
'''

_MANY = """
import contextlib, io, json, sys
from windlass.cli.main import run

answers = []
sys.path.insert(0, "")
for arguments in json.load(sys.stdin):
    sys.modules.pop("jobs", None)  # closed by the command before
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = run(arguments)
    answers.append([code, out.getvalue(), error.getvalue()])
print(json.dumps(answers))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    error: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def is_error(self, code: int, *words: str) -> bool:
        """Whether it is one clear line on stderr with these words, and this exit code."""
        is_line = self.error.startswith("windlass: error: ") and self.error.count("\n") == 1
        return self.code == code and is_line and all(word in self.error for word in words)


class Program:
    """The program in one working folder, with an app on the same store to prepare and check.

    The store is a file in the folder, or at a ``place``, of which the program hears from its environment.
    """

    def __init__(self, folder: Path, place: Place | None = None) -> None:
        self.folder = folder
        if place is None:
            self.url = f"sqlite:///{folder / 'windlass.db'}"
            self.app = unhurried(Windlass(self.url))
            self._environment: dict[str, str] = {}
        else:
            self.url = place.url
            self.app = unhurried(Windlass(place.url, namespace=place.namespace))
            self._environment = {"WINDLASS_URL": place.url}

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        """What a command of this folder is started with."""
        return _environment(self._environment | more)

    def __call__(self, *arguments: str, **environment: str) -> Answer:
        """Run to the end, without a terminal."""
        done = subprocess.run(
            command_line(arguments),
            cwd=self.folder,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=DEADLINE,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def many(self, *commands: Sequence[str]) -> list[Answer]:
        """Run several commands in one process, where a process for each would prove no more."""
        done = subprocess.run(
            [sys.executable, "-c", _MANY],
            cwd=self.folder,
            env=self.environment(),
            input=json.dumps(commands),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=DEADLINE,
            check=True,
        )
        return [Answer(*answer) for answer in json.loads(done.stdout)]

    def json(self, *arguments: str) -> Any:
        """What a command that must succeed says with ``--json``."""
        answer = self(*arguments, "--json")
        assert answer.code == 0, answer
        assert answer.error == "", answer
        return answer.json

    @contextmanager
    def start(self, *arguments: str, **environment: str) -> Iterator[Running]:
        """A command that goes on, without a terminal; killed if the test leaves it behind."""
        with self._running(arguments, environment) as running:
            yield running

    @contextmanager
    def start_at_terminal(self, *arguments: str) -> Iterator[tuple[Running, Callable[[], None]]]:
        """The same at a terminal, and what closes that."""
        ours, theirs = pty.openpty()
        with (
            os.fdopen(ours) as terminal,
            self._running(arguments, {}, lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)) as running,
        ):
            os.close(theirs)
            yield running, terminal.close

    @contextmanager
    def _running(
        self, arguments: tuple[str, ...], environment: dict[str, str], begin: Callable[[], object] | None = None
    ) -> Iterator[Running]:
        process = subprocess.Popen(
            command_line(arguments),
            cwd=self.folder,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            preexec_fn=begin,  # noqa: PLW1509  # one system call, no lock
        )
        running = Running(process)
        try:
            yield running
        finally:
            running.close()

    def at_terminal(self, *arguments: str, answer: str = "", columns: int = 80) -> Answer:
        """Run to the end at a terminal of this width, where ``answer`` is typed."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        environment = self.environment(TERM="xterm-256color")
        with subprocess.Popen(
            command_line(arguments), cwd=self.folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
        ) as process:
            os.close(theirs)
            os.write(ours, answer.encode())
            shown = _read_all(ours)
            code = process.wait(DEADLINE)
        os.close(ours)
        return Answer(code, shown.decode().replace("\r\n", "\n"))


class Running:
    """A process whose lines can be waited for."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self.shown: list[str] = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, text: str) -> str:
        """The first new line with this text."""
        until = monotonic() + DEADLINE
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - monotonic()))
            except Empty:
                line = None
            assert line is not None, f"{text!r} was not shown; there was: {self.shown}"
            if text in line:
                return line

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def code(self) -> int:
        """Its exit code, when it has ended."""
        return self._process.wait(DEADLINE)

    def close(self) -> None:
        self._process.kill()
        self._process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.shown.append(line.rstrip("\n"))
            self._lines.put(line)
        self._lines.put(None)


def command_line(arguments: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "windlass", *arguments]


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """Ours, without what could steer the program."""
    steering = ("WINDLASS_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    return kept | {"PYTHONPATH": str(SOURCE)} | dict(more)


def _read_all(terminal: int) -> bytes:
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:  # how Linux says that nobody writes any more
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)
