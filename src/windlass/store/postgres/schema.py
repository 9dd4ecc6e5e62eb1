"""The schema of one store: making it, checking it, bringing it up to date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from psycopg import Connection, Cursor

from windlass.errors import ConfigError
from windlass.store.postgres.steps import Step, all_steps, lock, script

# Asked of the catalogue's tables: functions such as to_regnamespace may answer from what the connection remembers.
_LOOK = """
    SELECT count(*) > 0, count(class.oid) > 0
    FROM pg_catalog.pg_namespace AS namespace
    LEFT JOIN pg_catalog.pg_class AS class ON class.relnamespace = namespace.oid AND class.relname = 'schema'
    WHERE namespace.nspname = '{schema}'
"""
_APPLIED = 'SELECT version, name, checksum, compatible_from FROM "{schema}".schema ORDER BY version'


@dataclass(frozen=True, slots=True)
class Applied:
    """A step that a store has taken, perhaps with a newer release than this."""

    number: int
    name: str
    checksum: str
    compatible_from: int


@dataclass(frozen=True, slots=True)
class Found:
    """What there is of a store."""

    has_schema: bool
    applied: tuple[Applied, ...]

    @property
    def version(self) -> int:
        """The number of the last step that this store has taken; 0 for a new one."""
        return max((step.number for step in self.applied), default=0)

    def missing(self) -> tuple[Step, ...]:
        """The steps that this release would take."""
        taken = {step.number for step in self.applied}
        return tuple(step for step in all_steps() if step.number not in taken)


def look(connection: Connection[Any], schema: str) -> Found:
    """Read what there is, changing nothing."""
    [(has_schema, has_table)] = _run(connection, _LOOK.format(schema=schema)).fetchall()
    rows = _run(connection, _APPLIED.format(schema=schema)).fetchall() if has_table else []
    return Found(bool(has_schema), tuple(Applied(*row) for row in rows))


def check(found: Found, where: str) -> None:
    """Refuse a store that is not, or no longer, made by the steps we know."""
    known = {step.number: step for step in all_steps()}
    for step in found.applied:
        ours = known.get(step.number)
        if ours is not None and ours.checksum != step.checksum:
            raise ConfigError(
                f"{where}: step {step.name} was taken with other contents than this Windlass has; "
                "its tables may differ from what is expected: install the release that made the store"
            )
        if ours is None and step.compatible_from > max(known):
            raise ConfigError(
                f"{where} is version {found.version}, this Windlass knows {max(known)}; upgrade windlass to use it"
            )


def check_current(found: Found, where: str) -> None:
    """Refuse as well what has to be brought up to date first."""
    check(found, where)
    if found.missing():
        raise ConfigError(
            f"{where} is version {found.version}, this Windlass needs {all_steps()[-1].number}; run `windlass migrate`"
        )


def migrate(connection: Connection[Any], schema: str, where: str) -> list[str]:
    """Take the steps that are missing, all or none; their names."""
    with connection.transaction():
        _run(connection, lock(schema))
        found = look(connection, schema)
        check(found, where)
        if not found.has_schema:  # asked first: IF NOT EXISTS needs the right to create even where nothing is created
            _run(connection, f'CREATE SCHEMA "{schema}"')
        for step in found.missing():
            _run(connection, step.sql(schema))
    return [step.name for step in found.missing()]


def missing_sql(connection: Connection[Any], schema: str, where: str) -> str:
    """What ``migrate`` would run now."""
    found = look(connection, schema)
    check(found, where)
    return script(found.missing(), schema, is_missing=not found.has_schema)


def _run(connection: Connection[Any], sql: str) -> Cursor[Any]:
    """Nothing here is run often enough to be prepared, and a step is many statements, which cannot be."""
    return connection.execute(sql.encode(), prepare=False)
