"""One process of a helper."""

from __future__ import annotations

import os
from contextlib import suppress

from windlass.client.config import KEYS
from windlass.core.fault.exit_code import how_it_ended
from windlass.errors import HelperDied, HelperFailed
from windlass.programs.helpers.helper_protocol import Answer, Question, StderrLog, read_answer
from windlass.programs.helpers.helper_settings import Program
from windlass.programs.pipes import Stream
from windlass.programs.process_group import ProcessGroup
from windlass.programs.reaper import Reaper
from windlass.programs.wait import output_until_end


class HelperGone(Exception):
    """It ended before it read the question; another process may be asked."""


class HelperProcess:
    """Answers one question at a time. After anything but an answer it cannot be asked again."""

    def __init__(self, program: Program, group: ProcessGroup) -> None:
        self._program = program
        self._group = group
        self._stderr = StderrLog(program.name)
        self._answers = 0

    @classmethod
    def start(cls, program: Program, reaper: Reaper) -> HelperProcess:
        own = {name: value for name, value in os.environ.items() if name != KEYS}
        env = {**own, **(program.env or {})}
        try:
            group = ProcessGroup.start(program.argv, env=env, cwd=program.cwd, has_stdin=True, reaper=reaper)
        except OSError as error:
            raise HelperFailed(f"{program.argv[0]} cannot be started here: {error}") from error
        return cls(program, group)

    @property
    def is_fit(self) -> bool:
        """Whether it can be asked: it is alive and has written nothing between two questions."""
        with suppress(HelperFailed):
            self._read_rest()
            return not self._group.has_ended
        return False

    def ask(self, question: Question) -> Answer:
        """Its answer. ``HelperDied`` when it ends instead, ``JobInterrupted`` when the run on this thread must stop."""
        self._group.pipes.send(question.line())
        answer = read_answer(self._heard())
        self._answers += 1
        return answer

    def close(self) -> int:
        """End it at once; its exit code."""
        code = self._group.reap()
        self._stderr.flush()
        return code

    def _heard(self) -> bytes:
        heard = bytearray()
        for stream, chunk in output_until_end(self._group, kill_after=self._program.patience):
            if stream is Stream.ERR:
                self._stderr.add(chunk)
                continue
            heard += chunk
            if b"\n" in chunk:
                return self._line(bytes(heard))
            self._check_length(heard)
        code = self.close()
        if code == 0 and self._answers and not heard:
            raise HelperGone
        raise HelperDied(f"helper {self._program.name!r} {how_it_ended(code)} while it had this job")

    def _line(self, heard: bytes) -> bytes:
        line, _, more = heard.partition(b"\n")
        self._check_length(line)
        if more or not self._group.pipes.has_sent_all:
            raise HelperFailed("it answered more than it was asked, or before it had read the question")
        self._read_rest()
        return line

    def _read_rest(self) -> None:
        for stream, chunk in self._group.pipes.rest():
            if stream is Stream.OUT:
                raise HelperFailed(f"it wrote something unasked: {chunk[:200]!r}")
            self._stderr.add(chunk)
        self._stderr.flush()

    def _check_length(self, line: bytes | bytearray) -> None:
        if len(line) > self._program.line_limit:
            raise HelperFailed(f"its answer is longer than line_limit ({self._program.line_limit:,} bytes)")
