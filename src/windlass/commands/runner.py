"""Runs commands on a worker that allows them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from windlass.commands.attendance import attend
from windlass.commands.capture import HeadAndTail
from windlass.commands.command import Command
from windlass.commands.group import ProcessGroup
from windlass.commands.guardian import Guardian
from windlass.commands.pipes import Stream
from windlass.commands.surroundings import environment, working_folder
from windlass.commands.verdict import last_words, verdict
from windlass.errors import CommandFailed, ConfigError, JobInterrupted, PermanentError

log = logging.getLogger("windlass.command")


class CommandRunner:
    """``run`` is the function of the task under which commands are stored."""

    def __init__(self, *, guardian: Guardian, folder: Path | None, kill_after: float) -> None:
        self._guardian = guardian
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
            for stream, chunk in attend(group, kill_after=self._kill_after):
                said[stream].add(chunk)
        except JobInterrupted:
            words = last_words(said[Stream.ERR]) or "nothing"
            log.warning("%s was stopped; the last it said on stderr: %s", command.argv[0], words)
            raise
        finally:
            code = group.reap()
            self._groups.discard(group)
        return verdict(command, code, stdout=said[Stream.OUT], stderr=said[Stream.ERR])

    def close(self) -> None:
        """End what still runs: nobody waits for it any more."""
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
                guardian=self._guardian,
            )
        except OSError as error:
            # Another worker may have the program, so that this is an attempt like any other.
            raise CommandFailed(f"{command.argv[0]} cannot be started here: {error}") from error


def _checked(argv: Any, details: dict[str, Any]) -> Command:
    """A stored command; others may have written it, so that anything may be in it."""
    details = {name: tuple(value) if isinstance(value, list) else value for name, value in details.items()}
    try:
        return Command(tuple(argv) if isinstance(argv, list) else argv, **details)
    except (ConfigError, TypeError) as error:
        raise PermanentError(f"this is no command: {error}") from error


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()
