"""Jobs in one schema of a PostgreSQL database.

Files, in reading order:

- ``driver``: The PostgreSQL driver: a call is one statement that commits by itself.
- ``address``: What a ``postgresql:`` URL says.
- ``connector``: Makes connections to one database.
- ``connection``: A connection with a deadline for everything it does.
- ``statements``: Statement files for PostgreSQL, and the meaning of their rows.
- ``errors``: psycopg's exceptions to ours.
- ``schema``: Makes, checks and upgrades the schema by numbered steps, which a person can run as SQL too.
- ``news``: Listens for notifications: one connection, a channel for each topic.
- ``ping``: Asks the server on a connection that only listens.
- ``caller``: Calls inside the caller's transaction on the same database.
"""
