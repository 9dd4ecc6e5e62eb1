"""A PostgreSQL server on this machine that syncs every commit; a database of its own for each round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from benchmarks.disk import IN_MEMORY, file_system
from benchmarks.place import Place
from benchmarks.server import Server, parent_of, process_named
from tests.servers import postgres_server

# The client library is imported where it is used: processes that only want to know of the store would wait for it.

DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
"""The defaults of PostgreSQL, which servers of tests do without."""

_CONNECTIONS = "500"
"""Sixty-four workers hold three each once they are idle, and more while they start."""


class PostgresStore:
    """A server for the whole run, as a server in use is not new either; a database per round, for us and for peers."""

    name = "postgres"
    title = "PostgreSQL"
    variants = ("synced",)

    @contextmanager
    def serve(self, folder: Path) -> Iterator[Server]:
        with postgres_server(settings={**DURABLE, "max_connections": _CONNECTIONS}, parent=folder) as address:
            yield Server(address, _postmaster(address))

    @contextmanager
    def fresh(self, server: Server, variant: str, folder: Path) -> Iterator[Place]:
        # Random, not counted: a server that the environment names is shared with other runs.
        database = f"bench_{uuid4().hex[:16]}"
        _run(server.address, f"CREATE DATABASE {database}")
        try:
            _checkpoint(server.address)
            yield Place(_with_database(server.address, database))
        finally:
            _run(server.address, f"DROP DATABASE {database} WITH (FORCE)")  # a round that was killed may linger

    def beside(self, place: Place, name: str) -> Place:
        return replace(place, namespace=name)

    def facts(self, server: Server) -> Mapping[str, str]:
        settings = ", ".join(f"{name}={_setting(server, name)}" for name in (*DURABLE, "shared_buffers"))
        return {"PostgreSQL": f"{_setting(server, 'server_version')}; {settings}; files on {_file_system(server)}"}

    def warnings(self, server: Server) -> list[str]:
        found = [f"PostgreSQL runs with {name}=off" for name in DURABLE if _setting(server, name) == "off"]
        if _file_system(server) in IN_MEMORY:
            found.append("the files of PostgreSQL lie in memory: nothing there is durable")
        return found

    def guarantee(self, variant: str) -> str:
        return (
            "fsync and synchronous_commit on: what was acknowledged is on disk; fenced leases; jobs of a killed worker "
            "run again; every state, time and result is kept"
        )


def _postmaster(address: str) -> int | None:
    """The parent of the process that serves a connection, as long as that is open."""
    import psycopg

    with psycopg.connect(address) as connection:
        parent = parent_of(connection.info.backend_pid)
        return None if parent is None else process_named(parent, ("postgres", "postmaster"))


def _run(address: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement.encode())


def _checkpoint(address: str) -> None:
    """Else one falls due in some rounds, and not in others. A server that is not ours may not let us."""
    import psycopg

    with suppress(psycopg.errors.InsufficientPrivilege):
        _run(address, "CHECKPOINT")


def _value(address: str, query: str) -> str:
    import psycopg

    with psycopg.connect(address) as connection:
        row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return str(row[0])


def _setting(server: Server, name: str) -> str:
    return _value(server.address, f"SHOW {name}")


def _file_system(server: Server) -> str:
    """That of a server elsewhere is unknown."""
    return "unknown" if server.pid is None else file_system(Path(_setting(server, "data_directory")))


def _with_database(address: str, database: str) -> str:
    return urlunsplit(urlsplit(address)._replace(path=f"/{database}"))
