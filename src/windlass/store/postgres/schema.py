"""Makes, checks and upgrades the schema by numbered steps, which a person can run as SQL too."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from typing import Any

from msgspec import Struct
from psycopg import Connection, Cursor

from windlass.errors import ConfigError
from windlass.store.package_files import texts_in

# Asked of the catalogue's tables: functions such as to_regnamespace may answer from what the connection remembers.
_LOOK = """
    SELECT count(*) > 0, count(class.oid) > 0
    FROM pg_catalog.pg_namespace AS namespace
    LEFT JOIN pg_catalog.pg_class AS class ON class.relnamespace = namespace.oid AND class.relname = 'schema'
    WHERE namespace.nspname = '{schema}'
"""
_APPLIED = 'SELECT version, name, checksum, compatible_from FROM "{schema}".schema ORDER BY version'


class Applied(Struct, frozen=True):
    """A step that a store has taken, perhaps with a newer release than this."""

    number: int
    name: str
    checksum: str
    compatible_from: int


class Found(Struct, frozen=True):
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


def inspect(connection: Connection[Any], schema: str) -> Found:
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
        found = inspect(connection, schema)
        check(found, where)
        if not found.has_schema:  # asked first: IF NOT EXISTS needs the right to create even where nothing is created
            _run(connection, f'CREATE SCHEMA "{schema}"')
        for step in found.missing():
            _run(connection, step.sql(schema))
    return [step.name for step in found.missing()]


def missing_sql(connection: Connection[Any], schema: str, where: str) -> str:
    """What ``migrate`` would run now."""
    found = inspect(connection, schema)
    check(found, where)
    return script(found.missing(), schema, is_missing=not found.has_schema)


def _run(connection: Connection[Any], sql: str) -> Cursor[Any]:
    """Nothing here is run often enough to be prepared, and a step is many statements, which cannot be."""
    return connection.execute(sql.encode(), prepare=False)


_MIGRATIONS = "windlass.store.postgres.migrations"
_COMPATIBLE = re.compile(r"^-- compatible from (\d+)$", re.M)

_TABLE = """CREATE TABLE "{schema}".schema (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    compatible_from integer NOT NULL,
    applied_at bigint NOT NULL
);
"""
_NOTE = """INSERT INTO "{schema}".schema (version, name, checksum, compatible_from, applied_at)
VALUES ({step.number}, '{step.name}', '{step.checksum}', {step.compatible_from},
    floor(extract(epoch FROM statement_timestamp()) * 1000));
"""


class Step(Struct, frozen=True, order=True):
    """One file."""

    number: int
    name: str
    text: str
    """As it stands in the file, with ``windlass_`` before every table."""

    @property
    def checksum(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def compatible_from(self) -> int:
        said = _COMPATIBLE.search(self.text)
        return int(said[1]) if said else self.number

    def sql(self, schema: str) -> str:
        """What takes this step in a schema and notes it there."""
        before = _TABLE.format(schema=schema) if self.number == 1 else ""
        code = self.text.replace("windlass_", f'"{schema}".')
        return f"-- {self.name}\n{before}{code}\n{_NOTE.format(schema=schema, step=self)}"


@cache
def all_steps() -> tuple[Step, ...]:
    """Every step that this release knows, in order."""
    found = texts_in(_MIGRATIONS, ending=".sql")
    return tuple(sorted(Step(int(name.split("-")[0]), f"{name}.sql", text) for name, text in found.items()))


def script(steps: tuple[Step, ...], schema: str, *, is_missing: bool) -> str:
    """One transaction for people who run it by hand; empty where there is nothing to do."""
    if not steps:
        return ""
    made = f'CREATE SCHEMA "{schema}";\n' if is_missing else ""
    code = "\n".join(step.sql(schema) for step in steps)
    return f"BEGIN;\n{lock(schema)};\n{made}{code}COMMIT;\n"


def lock(schema: str) -> str:
    """Of several processes one takes the steps and the others wait."""
    return f"SELECT pg_advisory_xact_lock(hashtextextended('windlass {schema}', 0))"
