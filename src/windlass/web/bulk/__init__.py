"""Changes of many jobs that run in the background of the web process: retry, cancel or delete all that a filter finds.

Files, in reading order:

- ``order``: What is to be done to which jobs, as it was when it was asked for.
- ``change``: A change of many jobs, in batches, on a thread of its own.
- ``changes``: All changes of this process: begins them, keeps what came of them for a while.
- ``past``: What the audit knows of changes that this process does not have.
- ``routes``: The routes: begin, look at, stop.
- ``shapes``: What they take and give, as types.
"""
