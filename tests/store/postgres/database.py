"""A database of the test's own, and what a test does there past the driver."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from tests.waiting import eventually

DRIVERS = "windlass"
"""The name under which our connections appear on the server."""


@dataclass(frozen=True)
class Database:
    """One database on a server; its ``url`` is what an application would write."""

    url: str

    def with_options(self, options: str) -> str:
        return f"{self.url}?{options}"

    def as_user(self, user: str, password: str) -> str:
        return self._at(f"{user}:{password}@{self._host}")

    def under(self, path: str) -> str:
        """Another database of the same server."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{path}"))

    @property
    def name(self) -> str:
        return urlsplit(self.url).path.removeprefix("/")

    @contextmanager
    def connected(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of the test's own; every statement commits, unless the test begins a transaction."""
        connection = psycopg.connect(self.url, autocommit=True, application_name="test")
        try:
            yield connection
        finally:
            connection.close()

    def run(self, statement: str, *params: object) -> list[tuple[Any, ...]]:
        with self.connected() as connection:
            cursor = connection.execute(statement.encode(), params or None)
            return cursor.fetchall() if cursor.description else []

    def backends(self) -> list[int]:
        """The process ids of the drivers' connections."""
        found = self.run(
            "SELECT pid FROM pg_stat_activity WHERE datname = %s AND application_name = %s", self.name, DRIVERS
        )
        return [int(pid) for (pid,) in found]

    def end_backends(self) -> None:
        """Cut the drivers' connections from the server's side, and wait until those are gone; new ones may be there."""
        ended = self.backends()
        for pid in ended:
            self.run("SELECT pg_terminate_backend(%s)", pid)
        eventually(lambda: not set(ended).intersection(self.backends()))

    def waiting(self) -> list[int]:
        """Those that wait for a lock."""
        found = self.run(
            "SELECT pid FROM pg_stat_activity"
            " WHERE datname = %s AND application_name = %s AND wait_event_type = 'Lock'",
            self.name,
            DRIVERS,
        )
        return [int(pid) for (pid,) in found]

    @contextmanager
    def locked(self, schema: str = "windlass") -> Iterator[None]:
        """Let nobody else at the tables of a store, as a migration or a forgotten transaction does."""
        with self.connected() as connection, connection.transaction():
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema]).fetchall()
            for (table,) in tables:
                connection.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(Identifier(schema, table)))
            yield

    def at_every_insert(self, code: str) -> None:
        """Run PL/pgSQL whenever a job is inserted: the server's own way of making a statement fail."""
        body = Literal(f"BEGIN {code} RETURN NEW; END")
        with self.connected() as connection:
            connection.execute(SQL("CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS {}").format(body))
            connection.execute(
                "CREATE TRIGGER trouble BEFORE INSERT ON windlass.job FOR EACH ROW EXECUTE FUNCTION public.trouble()"
            )

    def fail_inserts(self, state: str, *, times: int, message: str = "trouble") -> None:
        """Fail so many inserts with an SQLSTATE; what a sequence has counted is not taken back with the statement."""
        self.run("CREATE SEQUENCE failures")
        self.at_every_insert(
            f"IF nextval('public.failures') <= {times} THEN RAISE '{message}' USING ERRCODE = '{state}'; END IF;"
        )

    def failures(self) -> int:
        """How often an insert was tried."""
        return int(self.run("SELECT last_value FROM failures")[0][0])

    @contextmanager
    def role(self, name: str, options: str = "") -> Iterator[str]:
        """A user who may make a store here; the URL of the database for him. Everything of his is gone afterwards."""
        self.run(f"CREATE ROLE {name} LOGIN {options}")
        try:
            self.run(f"GRANT CREATE ON DATABASE {self.name} TO {name}")
            yield self.as_user(name, "")
        finally:
            self.run(f"ALTER ROLE {name} NOLOGIN")
            self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", name)
            self.run(f"DROP OWNED BY {name}")
            self.run(f"DROP ROLE {name}")

    @contextmanager
    def guarded_role(self, name: str, *, password: str) -> Iterator[None]:
        """The same for one whom the server asks for a password; it trusts all others."""
        [(file, rules)] = self.run("SELECT current_setting('hba_file'), pg_read_file(current_setting('hba_file'))")
        with self.role(name, f"PASSWORD '{password}'"):
            self._set_rules(file, f"host all {name} all scram-sha-256\n{rules}")
            try:
                yield
            finally:
                self._set_rules(file, rules)

    def _set_rules(self, file: str, rules: str) -> None:
        with self.connected() as connection:
            written = SQL("COPY (SELECT unnest(string_to_array({}, E'\\n'))) TO {}").format(
                Literal(rules), Literal(file)
            )
            connection.execute(written)
            loaded = "SELECT pg_conf_load_time()"
            before = connection.execute(loaded).fetchone()
            connection.execute("SELECT pg_reload_conf()")
            eventually(lambda: connection.execute(loaded).fetchone() != before)

    @property
    def _host(self) -> str:
        return urlsplit(self.url).netloc.rpartition("@")[2]

    def _at(self, netloc: str) -> str:
        return urlunsplit(urlsplit(self.url)._replace(netloc=netloc))


@contextmanager
def new_database(dsn: str) -> Iterator[Database]:
    name = f"t_{uuid4().hex[:16]}"
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        try:
            yield Database(urlunsplit(urlsplit(dsn)._replace(path=f"/{name}")))
        finally:
            server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
