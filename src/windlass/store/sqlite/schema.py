"""Makes, checks and upgrades the schema of one file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from windlass.errors import ConfigError, StoreUnavailable
from windlass.store.package_files import texts_in
from windlass.store.sqlite.libraries import Connection, Statements, carry_out

_MIGRATIONS = "windlass.store.sqlite.migrations"
_LOG_KEPT = 16 * 1024 * 1024
_LOG_PAGES = 4000
"""As many as that, of the usual size. A busy store writes the same pages again and again: the longer the log may get
before it is emptied into the file, the fewer of them are written there, and the disk is synced for that less often.
"""


@cache
def migrations(prefix: str) -> list[tuple[int, str, str]]:
    """Number, name and statements of every step, in order."""
    found = texts_in(_MIGRATIONS, ending=".sql")
    return sorted(
        (int(name.split("-")[0]), f"{name}.sql", text.replace("windlass_", prefix)) for name, text in found.items()
    )


def up_to_date(prefix: str, path: str, *, now: Callable[[], int]) -> Statements[list[str]]:
    """Take the steps that are missing, all or none, inside the transaction that is open; their names.

    Refuses a file that a newer release has changed.
    """
    steps = migrations(prefix)
    found, known = (yield from version(prefix)), steps[-1][0]
    if found > known:
        raise ConfigError(
            f"{path}: its schema is version {found}, this Windlass knows {known}; upgrade windlass to open it"
        )
    missing = [step for step in steps if step[0] > found]
    for number, name, text in missing:
        if number == 1:
            yield f"CREATE TABLE {prefix}schema (version INTEGER PRIMARY KEY, name TEXT, applied_at INTEGER) STRICT", {}
        for statement in _split(text):
            yield statement, {}
        noted = {"number": number, "name": name, "now": now()}
        yield f"INSERT INTO {prefix}schema VALUES (:number, :name, :now)", noted  # noqa: S608  # checked prefix
    return [name for _, name, _ in missing]


def upgrade(connection: Connection, prefix: str, path: str, *, now: Callable[[], int]) -> list[str]:
    """``up_to_date`` on a connection of our own."""
    return carry_out(up_to_date(prefix, path, now=now), connection)


def is_current(connection: Connection, prefix: str) -> bool:
    """Whether nothing is missing and no newer version has changed it."""
    return carry_out(version(prefix), connection) == migrations(prefix)[-1][0]


def version(prefix: str) -> Statements[int]:
    """The number of the last step that this file has seen; 0 for a new one."""
    if not (yield f"SELECT 1 FROM sqlite_schema WHERE name = '{prefix}schema'", {}):  # noqa: S608
        return 0
    rows = yield f"SELECT max(version) FROM {prefix}schema", {}  # noqa: S608
    return int(rows[0][0] or 0)


def _split(text: str) -> list[str]:
    """The statements of a file. Each ends with its line, a trigger with ``END;``; comment lines may hold anything."""
    statements: list[str] = []
    lines: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("--"):
            continue
        lines.append(line)
        if line.endswith("END;" if lines[0].startswith("CREATE TRIGGER") else ";"):
            statements.append("\n".join(lines))
            lines = []
    return [*statements, "\n".join(lines)] if lines else statements


def set_up(connection: Connection, *, durability: str, path: str) -> None:
    """What every connection needs before its first statement."""
    mode = connection.run("PRAGMA journal_mode = WAL")
    if mode[0][0] not in ("wal", "memory"):
        raise StoreUnavailable(f"{path}: SQLite could not switch to WAL mode (a network file system?)")
    connection.run(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
    # A log that had to grow, because of a long read, shrinks again once it is emptied.
    connection.run(f"PRAGMA journal_size_limit = {_LOG_KEPT}")
    connection.run(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    # All that we write has been checked, and SQLite would build the list of states anew for each row.
    connection.run("PRAGMA ignore_check_constraints = ON")
    # Only now the log and its index exist.
    connection.run("SELECT 1 FROM sqlite_schema LIMIT 1")
