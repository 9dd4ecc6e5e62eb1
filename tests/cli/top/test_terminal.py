"""``windlass top`` at a real terminal: keys, signals, resizes, outages; the terminal is always left as it was."""

from __future__ import annotations

import os
import signal
import termios

import pytest

from tests.cli.program import Program
from tests.cli.terminal import Terminal, terminal_with
from tests.cli.test_watch import move

FAST = ("--interval", "0.1")


def is_as_it_was(terminal: Terminal, before: list[object]) -> bool:
    on_screen = (terminal.is_alternate, terminal.has_cursor) == (False, True)
    return on_screen and termios.tcgetattr(terminal.device) == before


def test_a_walk_through_all_keys(windlass: Program) -> None:
    """What is there, another section, a job in full and back, a queue paused after a question, and out."""
    windlass.app.enqueue_many([windlass.app.request("broken", ["no"], attempts=1)])
    [claimed] = windlass.app.claim()
    claimed.fail(ValueError("no"))
    with terminal_with(windlass, "top", *FAST) as terminal:
        before = termios.tcgetattr(terminal.device)
        terminal.wait_for("[1 Queues")
        terminal.wait_for("q quit")
        assert terminal.is_alternate
        assert not terminal.has_cursor
        terminal.type("4")
        terminal.wait_for("[4 Failures")
        terminal.wait_for("ValueError")
        terminal.type("\r")
        terminal.wait_for("esc back")
        terminal.wait_for("attempts")
        terminal.type("\x1b")
        terminal.wait_until(lambda shown: "esc back" not in shown.text)
        terminal.type("1p")
        terminal.wait_for("for all workers?")
        name = next(line for line in terminal.lines if line.startswith("> ")).split()[1]
        assert not windlass.app.queue(name).settings().paused
        terminal.type("y")
        terminal.wait_for(f"paused queue {name}")
        assert windlass.app.queue(name).settings().paused
        terminal.resize(rows=8, columns=40)
        terminal.wait_until(lambda shown: max(map(len, shown.lines[:8])) <= 40 and "…" in shown.lines[7])
        terminal.type("q")
        assert terminal.code() == 0
        assert is_as_it_was(terminal, before)
        assert terminal.text == ""
    assert [(entry.action, entry.target) for entry in windlass.app.audit().entries] == [("queues pause", name)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_ends_it_in_order(windlass: Program, number: int) -> None:
    with terminal_with(windlass, "top", *FAST) as terminal:
        before = termios.tcgetattr(terminal.device)
        terminal.wait_for("q quit")
        terminal.process.send_signal(number)
        assert terminal.code() == 0
        assert is_as_it_was(terminal, before)


def test_a_suspended_view_gives_the_terminal_back_and_takes_it_again(windlass: Program) -> None:
    with terminal_with(windlass, "top", *FAST, is_controlling=False) as terminal:
        before = termios.tcgetattr(terminal.device)
        terminal.wait_for("q quit")
        terminal.process.send_signal(signal.SIGTSTP)
        assert os.WIFSTOPPED(os.waitpid(terminal.process.pid, os.WUNTRACED)[1])
        terminal.wait_until(lambda shown: not shown.is_alternate and shown.has_cursor)
        assert is_as_it_was(terminal, before)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_until(lambda shown: shown.is_alternate and "q quit" in shown.text)
        terminal.type("q")
        assert terminal.code() == 0
        assert is_as_it_was(terminal, before)


def test_a_store_that_is_not_there_or_goes_away_has_a_banner_and_comes_back(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    windlass.app.close()
    move(windlass.folder, "windlass.db", "elsewhere.db")
    with terminal_with(windlass, "top", *FAST, "--url", windlass.url, columns=200) as terminal:
        terminal.wait_for("STORE UNAVAILABLE")
        assert not (windlass.folder / "windlass.db").exists()
        move(windlass.folder, "elsewhere.db", "windlass.db")
        terminal.wait_until(lambda shown: "UNAVAILABLE" not in shown.text and "1 pending" in shown.text)
        move(windlass.folder, "windlass.db", "elsewhere.db")
        terminal.wait_until(lambda shown: "STORE UNAVAILABLE" in shown.text and "1 pending" in shown.text)
        terminal.type("q")
        assert terminal.code() == 0


def test_a_mistake_of_ours_leaves_the_terminal_as_it_was(windlass: Program) -> None:
    """The traceback stands on the screen that was there before."""
    broken = "import windlass.cli.top.snapshot as s\ndef look(*_): raise ZeroDivisionError('oops')\n"
    windlass.write("jobs.py", f"{broken}import windlass.cli.top.session as t\nt.look = look\n" + _APP)
    with terminal_with(windlass, "top", *FAST, columns=200) as terminal:
        before = termios.tcgetattr(terminal.device)
        assert terminal.code() == 1
        assert is_as_it_was(terminal, before)
        assert "ZeroDivisionError: oops" in terminal.text


_APP = "from windlass import Windlass\napp = Windlass('sqlite:///windlass.db')\n"


def test_without_a_terminal_everything_is_printed_once(shop: Program) -> None:
    plain, once, data = shop.many(["top"], ["top", "--once"], ["top", "--json"])
    for answer in (plain, once):
        assert answer.code == 0, answer
        assert "Queues" in answer.out
        assert "\x1b" not in answer.out
    assert {"queues", "workers", "runs", "failures", "rates", "at"} <= data.json.keys()


def test_a_terminal_that_can_only_write_gets_a_snapshot(windlass: Program) -> None:
    with terminal_with(windlass, "top", kind="dumb") as terminal:
        assert terminal.code() == 0
        assert not terminal.is_alternate
        assert "no queues yet" in terminal.text


def test_what_is_no_interval_is_refused(windlass: Program) -> None:
    for answer in windlass.many(*(["top", "--interval", value] for value in ("0", "-1", "nan", "soon", "1e9"))):
        assert answer.is_error(2, "--interval"), answer
