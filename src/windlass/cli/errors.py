"""Exit codes and error lines: 1 a problem, 2 wrong use."""

from __future__ import annotations

from collections.abc import Collection

import click

from windlass.cli.terminal.escape import escaped_line
from windlass.errors import ConfigError, PayloadError, WindlassError

PROBLEM = 1
WRONG_USE = 2
_INTERRUPTED = 130


class Problem(click.ClickException):
    """A problem that a correct command has found."""

    exit_code = PROBLEM


def require_known(kind: str, name: str, known: Collection[str]) -> None:
    """Raise unless a thing of this kind has the name: a typing error must not make a new one."""
    if name not in known:
        raise Problem(f"no {kind} is called {name!r}; there are: {', '.join(known) or 'none yet'}")


class Interrupted(click.ClickException):
    """Ctrl-C in the middle of something: the message says how it was left."""

    exit_code = _INTERRUPTED


def print_error(message: str) -> None:
    """One line on stderr."""
    click.echo(f"windlass: error: {escaped_line(message)}", err=True)


def failure_code(error: click.ClickException | click.Abort | WindlassError) -> int:
    """Print the error; returns its exit code."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return WRONG_USE
        case click.Abort():
            return _INTERRUPTED
        case Problem() | Interrupted():
            print_error(error.message)
            return error.exit_code
        case click.ClickException():
            print_error(_in_our_words(error.format_message()))
            return WRONG_USE
        case _:
            print_error(str(error))
            return WRONG_USE if isinstance(error, ConfigError | PayloadError) else PROBLEM


def _in_our_words(message: str) -> str:
    """Click writes sentences; our messages follow a colon."""
    is_word = message[1:2].islower()
    return (message[:1].lower() + message[1:] if is_word else message).rstrip(".")
