"""Runs commands on a worker that allows them; what an exit code means for the job."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from windlass.core.fault.exit_code import how_it_ended
from windlass.errors import CommandFailed, ConfigError, JobInterrupted, PermanentError, Snooze
from windlass.programs.command import Command
from windlass.programs.environment import environment, working_folder
from windlass.programs.output import HeadAndTail
from windlass.programs.pipes import Stream
from windlass.programs.process_group import ProcessGroup
from windlass.programs.reaper import Reaper
from windlass.programs.wait import output_until_end

log = logging.getLogger("windlass.command")


class CommandRunner:
    """``run`` is the function of the task under which commands are stored."""

    def __init__(self, *, reaper: Reaper, folder: Path | None, kill_after: float) -> None:
        self._reaper = reaper
        self._folder = folder
        self._kill_after = kill_after
        self._groups: set[ProcessGroup] = set()

    def run(self, argv: list[str], **details: Any) -> dict[str, Any]:
        """Run a program to its end; the keywords are those of ``windlass.command``."""
        command = _checked(argv, details)
        group = self._start(command)
        said = {stream: HeadAndTail(command.output_limit) for stream in Stream}
        self._groups.add(group)
        try:
            if command.stdin is not None:
                group.pipes.send(_bytes(command.stdin), is_last=True)
            for stream, chunk in output_until_end(group, kill_after=self._kill_after):
                said[stream].add(chunk)
        except JobInterrupted:
            words = last_output(said[Stream.ERR]) or "nothing"
            log.warning("%s was stopped; its last output on stderr: %s", command.argv[0], words)
            raise
        finally:
            code = group.reap()
            self._groups.discard(group)
        return result_of(command, code, stdout=said[Stream.OUT], stderr=said[Stream.ERR])

    def close(self) -> None:
        """End what still runs; its job no longer waits for it."""
        for group in tuple(self._groups):
            group.kill()

    def _start(self, command: Command) -> ProcessGroup:
        folder = working_folder(command.cwd, jail=self._folder)
        try:
            return ProcessGroup.start(
                command.argv,
                env=environment(command.env, is_all=command.replace_env),
                cwd=folder,
                has_stdin=command.stdin is not None,
                reaper=self._reaper,
            )
        except OSError as error:
            # Another worker may have the program, so this is an attempt like any other.
            raise CommandFailed(f"{command.argv[0]} cannot be started here: {error}") from error


def _checked(argv: Any, details: dict[str, Any]) -> Command:
    """A stored command, checked: any client may have written it."""
    details = {name: tuple(value) if isinstance(value, list) else value for name, value in details.items()}
    try:
        return Command(tuple(argv) if isinstance(argv, list) else argv, **details)
    except (ConfigError, TypeError) as error:
        raise PermanentError(f"this is no command: {error}") from error


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


_LAST_WORDS = 2_000


def result_of(command: Command, code: int, *, stdout: HeadAndTail, stderr: HeadAndTail) -> dict[str, Any]:
    """The job's result if the exit code means success; otherwise raises what the code means."""
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


def last_output(said: HeadAndTail) -> str:
    return said.text().rstrip()[-_LAST_WORDS:]


def _sentence(command: Command, code: int, stdout: HeadAndTail, stderr: HeadAndTail) -> str:
    """How it ended, and its last output: of stderr, or of stdout where stderr is empty."""
    words = last_output(stderr) or last_output(stdout)
    return f"{command.argv[0]} {how_it_ended(code)}" + (f": {words}" if words else "")
