"""Imports modules that are named as text."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from windlass.core.validate import texts
from windlass.errors import ConfigError


def is_module_name(name: str) -> bool:
    """Whether it may be the name of a module; ``jobs.py`` is the name of a file.

    >>> is_module_name("shop.tasks"), is_module_name("jobs.py"), is_module_name("shop/tasks")
    (True, False, False)
    """
    return all(part.isidentifier() for part in name.split(".")) and not name.endswith(".py")


def module_names(include: object) -> tuple[str, ...]:
    """What ``include`` names, if these are names of modules."""
    names = texts(include, "include", example="['shop.tasks']")
    for name in names:
        if not is_module_name(name):
            raise ConfigError(f"include: {name!r} is no name of a module; write it as in 'shop.tasks'")
    return names


def load_module(name: str, *, named_by: str) -> ModuleType:
    """Import a module; ``ConfigError`` says what is wrong with it, and ``named_by`` who named it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise ConfigError(
                f"{named_by} {name}: there is no module {error.name!r} in {Path.cwd()} or installed"
            ) from None
        raise _broken(name, error) from error
    except (Exception, SystemExit) as error:  # user code may raise anything while it is loaded
        raise _broken(name, error) from error


def _broken(name: str, error: BaseException) -> ConfigError:
    """What went wrong, and the line of code where it did."""
    if isinstance(error, SyntaxError):
        return ConfigError(
            f"importing {name!r} failed: SyntaxError: {error.msg} ({error.filename}, line {error.lineno})"
        )
    frame = extract_tb(error.__traceback__)[-1]
    return ConfigError(
        f"importing {name!r} failed: {type(error).__name__}: {error} ({frame.filename}, line {frame.lineno})"
    )
