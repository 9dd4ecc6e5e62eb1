"""From what went wrong to a line and an exit code: 1 a problem was found, 2 wrong use or bad configuration."""

from __future__ import annotations

import click

from windlass.cli.visible import visible_line
from windlass.errors import ConfigError, PayloadError, WindlassError

PROBLEM = 1
WRONG_USE = 2
_INTERRUPTED = 130


class Problem(click.ClickException):
    """The command was right, but what it found is not."""

    exit_code = PROBLEM


class Interrupted(click.ClickException):
    """Ctrl-C in the middle of something: how that was left."""

    exit_code = _INTERRUPTED


def complain(message: str) -> None:
    """One line on stderr."""
    click.echo(f"windlass: error: {visible_line(message)}", err=True)


def failure_code(error: click.ClickException | click.Abort | WindlassError) -> int:
    """Say what went wrong; the exit code for it."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return WRONG_USE
        case click.Abort():
            return _INTERRUPTED
        case Problem() | Interrupted():
            complain(error.message)
            return error.exit_code
        case click.ClickException():
            complain(_in_our_words(error.format_message()))
            return WRONG_USE
        case _:
            complain(str(error))
            return WRONG_USE if isinstance(error, ConfigError | PayloadError) else PROBLEM


def _in_our_words(message: str) -> str:
    """Click writes sentences; ours follow a colon."""
    is_word = message[1:2].islower()
    return (message[:1].lower() + message[1:] if is_word else message).rstrip(".")
