"""Jobs in one SQLite file.

Files, in reading order:

- ``driver``: The SQLite driver: a call is a list of statements in one transaction.
- ``address``: What an ``sqlite:`` URL says.
- ``statements``: The statements of a call.
- ``connections``: The connections of one process to one file: a writer, a heartbeat writer, readers.
- ``group_commit``: Group commit: calls that wait for the same lock share one commit.
- ``file``: One database file: opens connections to it, begins transactions, and retries while it is busy.
- ``libraries``: apsw and sqlite3 behind one small interface.
- ``schema``: Makes, checks and upgrades the schema of one file.
- ``news``: Notices commits of other processes.
- ``commit_topics``: Turns commits of other processes into notifications.
- ``log_watch``: Watches the write-ahead log by inotify (Linux).
- ``caller``: Calls inside the caller's transaction on the same file.
- ``guards/``: Protection against what can happen to a file; the main path is readable without it.
"""
