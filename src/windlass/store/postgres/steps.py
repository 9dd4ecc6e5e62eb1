"""The numbered steps that make and change a schema, as SQL that a person can run as well.

A step is a file of ``migrations/``. A line ``-- compatible from N`` in it says that releases which know N steps may go
on with a store that has taken this one; without it they may not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

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


@dataclass(frozen=True, slots=True, order=True)
class Step:
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
    found = (file for file in files(_MIGRATIONS).iterdir() if file.name.endswith(".sql"))
    return tuple(sorted(Step(int(file.name.split("-")[0]), file.name, file.read_text("utf-8")) for file in found))


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
