"""Everything that a store holds, as bytes: its files, its tables or its keys."""

from __future__ import annotations

from typing import Any

from tests.places.place import Place, SqlitePlace


def dump_of(place: Place) -> bytes:
    """What a thief of the store would have."""
    if isinstance(place, SqlitePlace):
        return b"\n".join(file.read_bytes() for file in sorted(place.path.parent.glob(f"{place.path.name}*")))
    return rows_of(place)


def rows_of(place: Place) -> bytes:
    """The same without what was deleted or replaced, and still lies in a file."""
    if isinstance(place, SqlitePlace):
        tables = place.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return b"\n".join(repr(place.execute(f'SELECT * FROM "{table}"')).encode() for (table,) in tables)
    return _rows(place) if place.url.startswith("postgres") else _keys(place)


def _rows(place: Place) -> bytes:
    import psycopg
    from psycopg.sql import SQL, Identifier

    with psycopg.connect(place.url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [place.namespace])
        return b"\n".join(
            str(row[0]).encode()
            for (table,) in tables.fetchall()
            for row in connection.execute(
                SQL("SELECT CAST(each AS text) FROM {} AS each").format(Identifier(place.namespace, table))
            )
        )


def _keys(place: Place) -> bytes:
    import redis

    with redis.Redis.from_url(place.url) as client:
        return b"\n".join(
            key + b"\n" + _value(client, key) for key in client.scan_iter(match=f"{{{place.namespace}}}:*")
        )


def _value(client: Any, key: bytes) -> bytes:
    match client.type(key):
        case b"hash":
            return b"\n".join(name + b"=" + value for name, value in client.hgetall(key).items())
        case b"string":
            return bytes(client.get(key))
        case b"set":
            return b"\n".join(client.smembers(key))
        case b"zset":
            return b"\n".join(client.zrange(key, 0, -1))
        case b"list":
            return b"\n".join(client.lrange(key, 0, -1))
        case kind:
            raise NotImplementedError(kind)
