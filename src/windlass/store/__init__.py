"""The store: what is asked of it, and the three that answer.

Files, in reading order:

- ``operation``: An operation: a generator that yields named calls and never sees a connection.
- ``driver``: The protocol of a store driver.
- ``open``: From a URL to a driver; the only module that knows the stores by name.
- ``answers``: Rows of an answer to typed records.
- ``pages``: How much one call takes: a page ends at a number of jobs or of bytes.
- ``columns``: The columns of the rows that stores take and give: the fields of structs, by the struct's name.
- ``templates``: Fills the names of fields into the text of a statement.
- ``on_demand``: A mapping whose values are made when they are first asked for.
- ``package_files``: Reads the texts that lie in a package beside its modules: statements, scripts, migrations.
- ``statement_files``: Statement files: where they are, and what their headings declare.
- ``caller/``: Enqueues inside a transaction of the caller, on the caller's own connection.
- ``connection/``: What stores with a server share: pool, circuit breaker, notifier.
- ``operations/``: What a store can be asked, one module a subject; each operation names calls that every store has.
- ``postgres/``: Jobs in one schema of a PostgreSQL database.
- ``redis/``: Jobs on a Redis or Valkey server.
- ``sqlite/``: Jobs in one SQLite file.
"""
