"""One module for each library whose connections callers may bring.

Files, in reading order:

- ``psycopg``: psycopg 3, sync and async.
- ``psycopg2``: psycopg2.
- ``asyncpg``: asyncpg.
- ``sqlalchemy``: SQLAlchemy: connections and sessions, sync and async.
- ``django``: Django: ``connection`` or one of its ``connections``.
- ``sqlite3``: sqlite3 of the standard library.
"""
