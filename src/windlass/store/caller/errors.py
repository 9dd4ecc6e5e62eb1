"""Exceptions of libraries that are not imported here."""

from __future__ import annotations

from windlass.store.caller.adopt import library_of

_LIBRARIES = {"psycopg", "psycopg2", "asyncpg", "sqlalchemy", "sqlite3", "django"}


def is_of_library(error: BaseException) -> bool:
    """Whether a database library raised it; anything else is not ours to translate."""
    return any(library_of(kind) in _LIBRARIES for kind in type(error).__mro__)


def origin(error: BaseException) -> BaseException:
    """What the database driver itself raised, below the layers that put exceptions of their own around it."""
    while True:
        inner = getattr(error, "orig", None) or error.__cause__
        if not isinstance(inner, BaseException) or not is_of_library(inner):
            return error
        error = inner
