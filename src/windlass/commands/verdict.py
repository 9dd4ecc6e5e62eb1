"""What the end of a command means for its job."""

from __future__ import annotations

from typing import Any

from windlass.commands.capture import HeadAndTail
from windlass.commands.command import Command
from windlass.core.exitcode import how_it_ended
from windlass.errors import CommandFailed, PermanentError, Snooze

_LAST_WORDS = 2_000


def verdict(command: Command, code: int, *, stdout: HeadAndTail, stderr: HeadAndTail) -> dict[str, Any]:
    """The job's result, if the exit code is one of success; otherwise raises what the code means."""
    if code in command.accept:
        return {
            "exit_code": code,
            "stdout": stdout.text(),
            "stderr": stderr.text(),
            "stdout_cut": stdout.cut,
            "stderr_cut": stderr.cut,
        }
    snooze = (command.snooze_on or {}).get(str(code))
    if snooze is not None:
        raise Snooze(snooze)
    failed = CommandFailed(_sentence(command, code, stdout, stderr), exit_code=code)
    if code in command.give_up_on or (command.retry_on is not None and code not in command.retry_on):
        raise PermanentError(str(failed)) from failed
    raise failed


def last_words(said: HeadAndTail) -> str:
    return said.text().rstrip()[-_LAST_WORDS:]


def _sentence(command: Command, code: int, stdout: HeadAndTail, stderr: HeadAndTail) -> str:
    """How it ended, and the last that it said; a program that says nothing on stderr may have said it on stdout."""
    words = last_words(stderr) or last_words(stdout)
    return f"{command.argv[0]} {how_it_ended(code)}" + (f": {words}" if words else "")
