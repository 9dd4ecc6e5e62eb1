"""``--watch``: lists that are read again and again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import termios
from pathlib import Path

import pytest

from tests.cli.program import DEADLINE, Program, command_line
from tests.cli.terminal import Terminal, terminal_with

LISTS = (["status"], ["jobs", "list"], ["queues", "list"], ["workers", "list"], ["dead", "list"])
FAST = "--watch=0.1"


def ends_on_ctrl_c(terminal: Terminal) -> None:
    terminal.type("\x03")
    assert terminal.code() == 0


@pytest.mark.parametrize("arguments", LISTS, ids=" ".join)
def test_a_list_is_drawn_again_in_its_place(windlass: Program, arguments: list[str]) -> None:
    with terminal_with(windlass, *arguments, "--watch", "0.1") as terminal:
        terminal.wait_for("every 0.1 s; Ctrl-C ends")
        first = terminal.lines[0]
        terminal.wait_until(lambda shown: shown.lines[:1] not in ([], [first]))
        assert terminal.is_alternate
        assert not terminal.has_cursor
        ends_on_ctrl_c(terminal)


def test_what_changes_is_seen(windlass: Program) -> None:
    with terminal_with(windlass, "jobs", "list", FAST) as terminal:
        terminal.wait_for("no jobs match")
        windlass.app.enqueue("mail.welcome", 1)
        terminal.wait_for("mail.welcome")
        assert "no jobs match" not in terminal.text
        ends_on_ctrl_c(terminal)


def test_the_terminal_is_left_as_it_was(windlass: Program) -> None:
    with terminal_with(windlass, "status", FAST) as terminal:
        before = termios.tcgetattr(terminal.device)
        terminal.wait_for("no jobs yet")
        ends_on_ctrl_c(terminal)
        assert (terminal.is_alternate, terminal.has_cursor, terminal.text) == (False, True, "")
        assert termios.tcgetattr(terminal.device) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(windlass: Program, number: int) -> None:
    with terminal_with(windlass, "status", FAST) as terminal:
        terminal.wait_for("no jobs yet")
        terminal.process.send_signal(number)
        assert terminal.code() == 0
        assert (terminal.is_alternate, terminal.has_cursor) == (False, True)


def test_it_is_as_high_as_the_window_and_follows_it(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [n], id=f"job-{n}") for n in range(40)])
    with terminal_with(windlass, "jobs", "list", "--watch", "3600", rows=10, columns=60) as terminal:
        terminal.wait_for("... 34 more lines; a taller window shows them")
        assert len(terminal.lines) == 10
        assert max(map(len, terminal.lines)) <= 60
        terminal.resize(rows=50, columns=30)
        terminal.wait_for("job-0")
        assert len(terminal.lines) == 43
        assert max(map(len, terminal.lines)) <= 30
        terminal.resize(rows=1, columns=100)
        terminal.wait_for("Ctrl-C ends")
        assert len(terminal.lines) == 1
        ends_on_ctrl_c(terminal)


def test_problems_are_at_the_top_of_a_window(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [1], queue=f"q{n}") for n in range(4)])
    with terminal_with(windlass, "status", FAST, rows=10, columns=200) as terminal:
        terminal.wait_for("no worker is alive")
        ends_on_ctrl_c(terminal)


def test_a_suspended_watch_gives_the_terminal_back(windlass: Program) -> None:
    with terminal_with(windlass, "status", FAST, is_controlling=False) as terminal:
        terminal.wait_for("no jobs yet")
        terminal.process.send_signal(signal.SIGTSTP)
        assert os.WIFSTOPPED(os.waitpid(terminal.process.pid, os.WUNTRACED)[1])
        terminal.wait_until(lambda shown: not shown.is_alternate and shown.has_cursor)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_until(lambda shown: shown.is_alternate and "no jobs yet" in shown.text)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.code() == 0


def test_a_store_that_goes_away_is_waited_for(windlass: Program) -> None:
    """The last picture stays, with a line above it; the store's answer takes that line away."""
    windlass.app.enqueue("mail.welcome", 1)
    windlass.app.close()
    with terminal_with(windlass, "jobs", "list", FAST, columns=200) as terminal:
        terminal.wait_for("mail.welcome")
        move(windlass.folder, "windlass.db", "elsewhere.db")
        terminal.wait_for("store unavailable since ")
        assert re.fullmatch(r"store unavailable since \S+ \S+ UTC; trying again \(.*", terminal.lines[1])
        assert "mail.welcome" in terminal.text
        since = terminal.lines[1]
        terminal.wait_until(lambda shown: shown.lines[1] == since)
        move(windlass.folder, "elsewhere.db", "windlass.db")
        terminal.wait_until(lambda shown: "unavailable" not in shown.text and "mail.welcome" in shown.text)
        ends_on_ctrl_c(terminal)


def move(folder: Path, name: str, to: str) -> None:
    for end in ("", "-wal", "-shm"):
        if (folder / (name + end)).exists():
            (folder / (name + end)).rename(folder / (to + end))


def test_a_terminal_that_can_only_write_gets_a_block_for_each_look(windlass: Program) -> None:
    with terminal_with(windlass, "workers", "list", FAST, kind="dumb") as terminal:
        terminal.wait_until(lambda shown: shown.text.count("no workers") > 2)
        assert not terminal.is_alternate
        ends_on_ctrl_c(terminal)


def test_a_pipe_gets_a_block_with_its_time_for_each_look(windlass: Program) -> None:
    with windlass.start("queues", "list", FAST) as running:
        for _ in range(3):
            running.wait_for("no queues")
        running.signal(signal.SIGINT)
        assert running.code() == 0
    time, *rest = running.shown[:3]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", time)
    assert rest == ["no queues yet", ""]
    assert "\x1b" not in "".join(running.shown)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_json_is_a_value_a_line(windlass: Program, is_terminal: bool) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    if is_terminal:
        with terminal_with(windlass, "jobs", "list", FAST, "--json", columns=10_000) as terminal:
            terminal.wait_until(lambda shown: shown.text.count("\n") > 2)
            lines = terminal.lines[:2]
    else:
        with windlass.start("jobs", "list", FAST, "--json") as running:
            lines = [running.wait_for("{") for _ in range(2)]
    found = [json.loads(line) for line in lines]
    assert found[0]["at"] < found[1]["at"]
    assert [look["jobs"][0]["task"] for look in found] == ["mail.welcome"] * 2


def test_an_outage_is_told_once_on_stderr_where_there_is_no_terminal(windlass: Program) -> None:
    windlass.app.close()
    with subprocess.Popen(
        command_line(("jobs", "list", FAST, "--json")),
        cwd=windlass.folder,
        env=windlass.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "jobs" in json.loads(process.stdout.readline())
        move(windlass.folder, "windlass.db", "elsewhere.db")
        assert process.stderr.readline().startswith("windlass: store unavailable since ")
        move(windlass.folder, "elsewhere.db", "windlass.db")
        assert process.stderr.readline().startswith("windlass: the store answers again")
        process.send_signal(signal.SIGTERM)
        out, error = process.communicate(timeout=DEADLINE)
    assert (process.returncode, error) == (0, "")
    assert all("jobs" in json.loads(line) for line in out.splitlines())


def test_a_store_that_is_not_there_is_an_error_at_once(windlass: Program) -> None:
    for arguments in LISTS:
        answer = windlass(*arguments, "--watch", "--url", "sqlite:///nowhere.db")
        assert answer.is_error(1, "there is no store at"), answer
    assert not (windlass.folder / "nowhere.db").exists()


def test_what_is_no_number_of_seconds_is_refused(windlass: Program) -> None:
    values = ("0", "-1", "0.01", "nan", "inf", "1e9", "soon", "")
    given = [["jobs", "list", *said] for value in values for said in (["--watch", value], [f"--watch={value}"])]
    for answer in windlass.many(*given):
        assert answer.is_error(2), answer


def test_a_check_looks_once(windlass: Program) -> None:
    assert windlass("status", "--check", "--watch").is_error(2, "--check", "--watch")


def test_the_window_of_since_moves_on(windlass: Program) -> None:
    """``--since 3s`` means three seconds ago at every look, not three seconds before the command was started."""
    windlass.app.enqueue("mail.welcome", 1)
    with terminal_with(windlass, "jobs", "list", "--since", "3s", FAST) as terminal:
        terminal.wait_for("no jobs match")
        ends_on_ctrl_c(terminal)
