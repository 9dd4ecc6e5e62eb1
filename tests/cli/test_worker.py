"""``windlass worker``: what it serves, how it stops."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.program import JOBS, Program
from tests.waiting import PATIENCE
from tests.worker import forked_copies
from windlass import State
from windlass.cli.commands.workers.worker import Started
from windlass.cli.terminal.screen import TerminalScreen, terminal


def pipe(windlass: Program) -> Path:
    """What the task ``listen`` listens to."""
    path = windlass.folder / "pipe"
    os.mkfifo(path)
    return path


def test_a_worker_says_at_its_start_what_it_serves(windlass: Program) -> None:
    """C2, C12: the queues that its tasks name, the name from flags, the absolute path of the file."""
    answer = windlass("worker", "--burst", "--name", "web", "--version", "7", "--id", "a")
    assert answer.code == 0
    assert "worker web-worker-7-a" in answer.out
    fields = dict(line.split(maxsplit=1) for line in answer.out.splitlines() if line.startswith("  "))
    assert fields == {
        "store": str(windlass.folder / "windlass.db"),
        "queues": "default:1, mail:1",
        "concurrency": "10",
        "tasks": "4",
    }


def test_what_it_serves_comes_from_the_environment(windlass: Program) -> None:
    """C2, C12: queues, concurrency and name; an option comes first."""
    answer = windlass(
        "worker",
        "--burst",
        "--json",
        "-c",
        "2",
        WINDLASS_QUEUES="mail:3, default",
        WINDLASS_CONCURRENCY="16",
        WINDLASS_WORKER_NAME="web",
        WINDLASS_WORKER_VERSION="7",
        WINDLASS_WORKER_ID="a",
    )
    started = json.loads(answer.out.splitlines()[0])
    assert started["worker"] == "web-worker-7-a"
    assert started["queues"] == {"mail": 3, "default": 1}
    assert started["concurrency"] == 2
    assert started["tasks"] == 4


def test_it_tells_the_caps_and_reserved_slots_of_its_queues(windlass: Program) -> None:
    """B33: as they were given."""
    answer = windlass("worker", "--burst", "-q", "mail:3:2,default:1::4")
    assert "mail:3:2, default:1::4" in answer.out
    answer = windlass("worker", "--burst", "--json", WINDLASS_QUEUES="mail::2:1,default")
    started = json.loads(answer.out.splitlines()[0])
    assert (started["queues"], started["caps"], started["reserves"]) == (
        {"mail": 1, "default": 1},
        {"mail": 2},
        {"mail": 1},
    )


BAD = [
    (["-q", ""], ["queues are given but empty"]),
    (["-q", " , "], ["queues are given but empty"]),
    (["-q", "mail,,default"], ["queue name ''"]),
    (["-q", "ma il"], ["queue name 'ma il'"]),
    (["-q", "mail:many"], ["'mail'", "weight", "'many'"]),
    (["-q", "mail:0"], ["'mail'", "weight", "0"]),
    (["-q", "mail", "-q", "mail:2"], ["'mail'", "twice"]),
    (["-q", "mail:"], ["'mail'", "weight", "''"]),
    (["-q", "mail:1:many"], ["'mail'", "cap", "'many'"]),
    (["-q", "mail:1:0"], ["'mail'", "cap", "0"]),
    (["-q", "mail:1:2:3"], ["'mail'", "reserve is 3", "cap allows only 2"]),
    (["-q", "mail:1:2:1:1"], ["'mail'", "weight, cap and reserve"]),
    (["-q", "mail:::9,default", "-c", "9"], ["'default'", "never get one"]),
    (["-c", "0"], ["concurrency", "0"]),
    (["-c", "many"], ["concurrency", "'many'"]),
    (["--child-max-memory", "much"], ["child_max_memory", "'much'"]),
    (["--lease", "soon"], ["lease", "'soon'"]),
    (["--lease", "10s", "--heartbeat", "6s"], ["heartbeat", "half of the lease"]),
]


def test_bad_configuration_is_one_line_and_exit_code_2(shop: Program) -> None:
    """C2: given but empty, an illegal name, and whatever else a worker cannot work with."""
    answers = shop.many(*(["worker", *arguments] for arguments, _ in BAD))
    for answer, (_, words) in zip(answers, BAD, strict=True):
        assert answer.is_error(2, *words), answer


def test_queues_that_are_given_but_empty_in_the_environment_are_refused(shop: Program) -> None:
    """C2: an unset variable in a deployment must not make a worker serve everything."""
    assert shop("worker", WINDLASS_QUEUES="").is_error(2, "queues are given but empty")


def test_a_queue_that_nothing_names_is_warned_of(windlass: Program) -> None:
    """In one line, also when it was served before; tasks, routes, settings and jobs name queues."""
    app = windlass.app
    app.enqueue(app.request("mail.welcome", [1], queue="letters"))
    app.queue("limited").configure(weight=2)
    app.queue("halted").pause()
    windlass.write("routed.py", f"{JOBS}\napp.configure(routes={{'parcel.': 'parcels'}})\n")
    named = "default,mail,letters,limited,halted,parcels"
    answer = windlass("worker", "--burst", "-A", "routed", "-q", named)
    assert (answer.code, "names queue" in answer.error) == (0, False)
    for _ in range(2):
        answer = windlass("worker", "--burst", "-A", "routed", "-q", f"{named},mial:3,zebra")
        [line] = [line for line in answer.error.splitlines() if "names queue" in line]
        assert answer.code == 0
        assert "no task, route, setting or job names queue 'mial' (did you mean 'mail'?), queue 'zebra';" in line
    [line] = windlass("worker", "--burst", "-A", "routed", WINDLASS_QUEUES="zebra").error.splitlines()
    assert "WARNING" in line


def test_neither_tasks_nor_queues_is_refused(windlass: Program) -> None:
    """C2."""
    windlass.write("idle.py", "from windlass import Windlass\napp = Windlass()\n")
    assert windlass("worker", "-A", "idle").is_error(2, "import the modules that hold them")


def test_an_unknown_log_level_is_refused(shop: Program) -> None:
    assert shop("worker", WINDLASS_LOG="loud").is_error(2, "$WINDLASS_LOG", "'loud'")


def test_a_burst_runs_what_is_ready_and_ends(windlass: Program) -> None:
    """What is due later stays where it is."""
    app = windlass.app
    jobs = app.enqueue_many([app.request("mail.welcome", [n], queue="mail") for n in range(3)])
    [later] = app.enqueue_many([app.request("mail.welcome", [9], queue="mail", delay="1h")])
    answer = windlass("worker", "--burst", "-A", "jobs")
    assert answer.code == 0
    assert "3 runs ended" in answer.out
    assert [job.result(timeout=PATIENCE) for job in jobs] == ["welcome 0", "welcome 1", "welcome 2"]
    assert later.refresh().state is State.SCHEDULED


def test_sigterm_lets_what_runs_finish_and_exits_with_0(windlass: Program) -> None:
    """B7: stop claiming, finish, leave cleanly."""
    there = pipe(windlass)
    running = windlass.app.enqueue("listen", str(there))
    with windlass.start("worker") as worker:
        worker.wait_for("listening")
        worker.signal(signal.SIGTERM)
        worker.wait_for("stopping")
        waiting = windlass.app.enqueue("broken", "too late")
        there.write_text("heard")
        assert worker.code() == 0
    assert running.result(timeout=PATIENCE) == "heard"
    assert waiting.refresh().state is State.PENDING
    assert windlass.app.workers() == []


@pytest.mark.parametrize("task", ["listen", "forever"])
def test_a_second_signal_hands_back_what_runs_at_once(windlass: Program, task: str) -> None:
    """B7: a thread and a coroutine that would not end; no attempt is charged."""
    job = windlass.app.enqueue(task, *([str(pipe(windlass))] if task == "listen" else []))
    with windlass.start("worker", "--grace", "10m") as worker:
        worker.wait_for(task)
        worker.signal(signal.SIGINT)
        worker.wait_for("stopping")
        worker.signal(signal.SIGINT)
        assert worker.code() == 0
    assert job.refresh().state is State.PENDING
    assert job.attempt == 0


def test_the_grace_time_ends_by_itself(windlass: Program) -> None:
    """B7: what has not finished by then is handed back, uncharged."""
    job = windlass.app.enqueue("forever")
    with windlass.start("worker", "--grace", "10ms") as worker:
        worker.wait_for("forever")
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
    assert job.refresh().state is State.PENDING
    assert job.attempt == 0


def test_a_signal_stops_a_burst_too(windlass: Program) -> None:
    """B7."""
    job = windlass.app.enqueue("forever")
    with windlass.start("worker", "--burst", "--grace", "10ms") as worker:
        worker.wait_for("forever")
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
    assert job.refresh().state is State.PENDING


def test_duties_can_be_switched_off(windlass: Program) -> None:
    """B30: such a worker runs what is ready, and leaves what is due to whoever does the duties."""
    app = windlass.app
    [due] = app.enqueue_many([app.request("mail.welcome", [1], queue="mail", delay=0.001)])
    with windlass.start("worker", "--no-duties"):
        ready = app.enqueue_many([app.request("mail.welcome", [n], queue="mail") for n in range(2, 5)])
        assert [job.result(timeout=PATIENCE) for job in ready] == ["welcome 2", "welcome 3", "welcome 4"]
        assert due.refresh().state is State.SCHEDULED
        assert windlass.json("duties", "promote")["promoted"] == 1
        assert due.result(timeout=PATIENCE) == "welcome 1"


def test_logs_cannot_steer_the_terminal(windlass: Program) -> None:
    windlass.write(
        "noisy.py",
        "import logging\nfrom windlass import Windlass\napp = Windlass()\n"
        "@app.task(name='noise')\ndef noise() -> None:\n    logging.getLogger('noisy').warning('\\x1b[31mred')\n",
    )
    windlass.app.enqueue("noise")
    answer = windlass("worker", "--burst", "-A", "noisy")
    assert r"WARNING noisy: \x1b[31mred" in answer.error
    assert "\x1b" not in answer.error


ISOLATED = """
import os

from windlass import Windlass

app = Windlass()


@app.task(name="where", isolation="process")
def where() -> int:
    return os.getpid()
"""


def test_child_processes_are_counted_and_replaced_as_told(windlass: Program) -> None:
    """B6, B11: the options reach the worker, and children find the tasks of the app that it was given."""
    windlass.write("isolated.py", ISOLATED)
    jobs = windlass.app.enqueue_many([windlass.app.request("where") for _ in range(4)])
    options = ["--children", "1", "--child-max-jobs", "2", "--child-max-memory", "2GB"]
    answer = windlass("worker", "--burst", "-A", "isolated", *options)
    assert answer.code == 0, answer
    assert sorted(Counter(job.result(timeout=PATIENCE) for job in jobs).values()) == [2, 2]


FORKING = """
from copies import end_copies
from windlass import Retry, Windlass

app = Windlass()
app.task(name="ends_copies", retry=Retry(attempts=1))(end_copies)
"""


def test_a_process_that_a_job_forked_ends_by_sigterm(windlass: Program) -> None:
    """W14: in a thread too; the worker's own handler is for signals to the worker."""
    windlass.write("copies.py", Path(forked_copies.__file__).read_text())
    windlass.write("forking.py", FORKING)
    job = windlass.app.enqueue("ends_copies", 10)
    assert windlass("worker", "--burst", "-A", "forking").code == 0
    assert job.result(timeout=0) == [-signal.SIGTERM] * 10


class Writes(StringIO):
    """Keeps each write apart: what another process writes to the same terminal may come between two of them."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def write(self, text: str) -> int:
        self.pieces.append(text)
        return len(text)


def test_what_a_worker_says_of_itself_comes_in_one_piece(windlass: Program) -> None:
    """Its runs log to the same terminal, from its first moment on."""
    writes = Writes()
    app = windlass.app
    Started(app.worker(["default"], name="w"), app.store, tasks=3).draw(TerminalScreen(terminal(writes, width=80)))
    [piece] = [piece for piece in writes.pieces if piece]
    assert "worker w" in piece
    assert "concurrency" in piece
