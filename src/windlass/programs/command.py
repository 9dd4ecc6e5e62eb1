"""Declares a command: program, input, environment, exit codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Unpack

from windlass.core import validate
from windlass.core.units import duration
from windlass.errors import ConfigError, Duration
from windlass.options import NO_OPTIONS, OptionArguments
from windlass.task import COMMAND, Request

OUTPUT_LIMIT = 64 * 1024
_OUTPUT_MOST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Command:
    """One run of a program. Checked when it is enqueued, and again where it runs: any client may have written it."""

    argv: tuple[str, ...]
    env: Mapping[str, str] | None = None
    replace_env: bool = False
    cwd: str | None = None
    stdin: str | bytes | None = None
    output_limit: int = OUTPUT_LIMIT
    accept: tuple[int, ...] = (0,)
    retry_on: tuple[int, ...] | None = None
    give_up_on: tuple[int, ...] = ()
    snooze_on: Mapping[str, float | str] | None = None
    """By exit code, as text, for the keys of a JSON object are text."""

    def __post_init__(self) -> None:
        check_argv(self.argv)
        check_env(self.env)
        if self.cwd is not None:
            _text(self.cwd, "cwd")
        if not isinstance(self.stdin, str | bytes | None):
            raise ConfigError(f"command: stdin must be text or bytes, got {self.stdin!r}")
        validate.whole_number(self.output_limit, "command: output_limit", least=0, most=_OUTPUT_MOST)
        for name in ("accept", "retry_on", "give_up_on"):
            for code in getattr(self, name) or ():
                validate.whole_number(code, f"command: exit code in {name}", least=-64, most=255)
        if not isinstance(self.snooze_on, Mapping | None):
            raise ConfigError(f"command: snooze_on must map exit codes to lengths of time, got {self.snooze_on!r}")
        for delay in (self.snooze_on or {}).values():
            duration(delay, "command: snooze_on")

    def stored(self) -> dict[str, Any]:
        """Everything but ``argv`` that differs from the default."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "argv" and getattr(self, field.name) != field.default
        }


def command(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    replace_env: bool = False,
    cwd: str | None = None,
    stdin: str | bytes | None = None,
    output_limit: int = OUTPUT_LIMIT,
    accept: Iterable[int] = (0,),
    retry_on: Iterable[int] | None = None,
    give_up_on: Iterable[int] = (),
    snooze_on: Mapping[int, Duration] | None = None,
    **options: Unpack[OptionArguments],
) -> Request:
    """A request to run a program, for ``app.enqueue`` or ``app.enqueue_many``; see docs/commands.md.

    ``argv`` is a list of words and never goes through a shell. ``timeout`` and all other options of jobs may be given
    too. Only workers with ``allow_commands=True`` run it.

    >>> from windlass import Windlass, command
    >>> app = Windlass("sqlite:///:memory:")
    >>> job = app.enqueue(command(["echo", "hello"], timeout="1m"))
    >>> with app.worker(allow_commands=True):
    ...     job.result(timeout=5)["stdout"]
    'hello\\n'
    >>> app.close()
    """
    checked = Command(
        argv=argv if isinstance(argv, str | bytes) else tuple(argv),  # type: ignore[arg-type]  # refused with a remedy
        env=dict(env) if isinstance(env, Mapping) else env,
        replace_env=replace_env,
        cwd=cwd,
        stdin=stdin,
        output_limit=output_limit,
        accept=tuple(accept),
        retry_on=None if retry_on is None else tuple(retry_on),
        give_up_on=tuple(give_up_on),
        snooze_on=None if snooze_on is None else {str(code): _seconds(delay) for code, delay in snooze_on.items()},
    )
    return Request(COMMAND, (list(checked.argv),), checked.stored(), NO_OPTIONS.but(options))


def check_argv(argv: object) -> None:
    """Raise unless ``argv`` is a list of texts that begins with a program."""
    if not isinstance(argv, tuple | list) or not argv:
        raise ConfigError(
            f"argv must be a list of words, as in ['convert', 'a.png', 'a.jpg'], and never goes through a shell; "
            f"got {argv!r}"
        )
    for word in argv:
        _text(word, "argv")
    if not argv[0]:
        raise ConfigError("argv: the program's name is empty")


def check_env(env: object) -> None:
    """Raise unless ``env`` is a mapping of texts."""
    if env is None:
        return
    if not isinstance(env, Mapping):
        raise ConfigError(f"env must be a mapping of names to texts, got {env!r}")
    for name, value in env.items():
        _text(name, "env")
        _text(value, f"env: {name}")
        if not name or "=" in name:
            raise ConfigError(f"env: {name!r} cannot be the name of a variable")


def _text(value: object, what: str) -> None:
    if not isinstance(value, str) or "\x00" in value:
        raise ConfigError(f"{what}: must be text without NUL, got {value!r}")


def _seconds(delay: Duration) -> float:
    return duration(delay, "command: snooze_on").total_seconds()
