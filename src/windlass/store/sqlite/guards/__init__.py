"""Protection against what can happen to a file; the main path is readable without it.

Files, in reading order:

- ``fork_pause``: Keeps threads out of SQLite while the process forks.
- ``file_identity``: Checks that the open files are still those at their path.
- ``two_libraries``: Rejects two SQLite libraries on one file in one process.
- ``wal_size``: Warns when the write-ahead log grows because a reader never ends.
- ``network_mount``: Warns of a file on a network file system.
"""
