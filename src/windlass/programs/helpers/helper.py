"""Declares a helper: a program that is started once and asked for every job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from windlass.client.tasks.registry import Registry
from windlass.core import validate
from windlass.forks import reset_in_child
from windlass.options import HelperTaskOptions, TaskSettings
from windlass.programs.helpers.helper_pool import HelperPool
from windlass.programs.helpers.helper_process import HelperGone
from windlass.programs.helpers.helper_protocol import Answer, Question, question
from windlass.programs.helpers.helper_settings import Program
from windlass.programs.reaper import Reaper
from windlass.programs.tasks import ProgramTask
from windlass.task import Task


class Helper:
    """A program in any language that stays alive, reads a line of JSON for each job and answers with another.

    It runs only where the app that declares it has a worker: no name that is stored is ever executed.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> answer = 'while read -r question; do echo "{\\\\"result\\\\": \\\\"done\\\\"}"; done'
    >>> images = app.helper("images", ["sh", "-c", answer])
    >>> resize = images.task("resize")
    >>> job = resize.enqueue("photo.jpg", width=800)
    >>> with app.worker():
    ...     job.result(timeout=5)
    'done'
    >>> app.close()
    """

    def __init__(self, program: Program, *, registry: Registry, reaper: Reaper) -> None:
        self.program = program
        self._registry = registry
        self._pool = HelperPool(program, reaper=reaper)
        reset_in_child(self._pool, HelperPool.reset_after_fork)

    def __repr__(self) -> str:
        return f"<Helper {self.program.name}>"

    def task(self, name: str, **settings: Unpack[HelperTaskOptions]) -> Task[..., Any]:
        """A task that this program runs, stored as ``helper.name``; takes any arguments that JSON can hold."""

        def ask(*args: Any, **kwargs: Any) -> Any:
            return self._ask(question(name, args, kwargs)).value()

        full_name = validate.task_name(f"{self.program.name}.{name}")
        given: Mapping[str, Any] = settings  # tags may be more than they are kept as
        return self._registry.register(ask, full_name, TaskSettings(**given), ProgramTask)

    def close(self) -> None:
        """End its processes; a busy one ends with its job."""
        self._pool.close()

    def _ask(self, question: Question) -> Answer:
        while True:
            process = self._pool.take()
            try:
                answer = process.ask(question)
            except HelperGone:
                self._pool.drop(process)
                continue
            except BaseException:
                self._pool.drop(process)
                raise
            self._pool.give_back(process)
            return answer
