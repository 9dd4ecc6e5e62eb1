"""Several worker processes under one small parent, which uses neither the store nor user code.

Files, in reading order:

- ``supervisor``: Starts worker processes, replaces dead ones, passes signals on.
- ``slot``: One place for a worker process.
- ``worker_process``: One worker process, as its parent sees it.
- ``status_pipe``: The pipe through which a worker process reports that it is alive and ready.
- ``backoff``: How long to wait before a dead process is replaced.
- ``rolling_restart``: Replaces all processes one after another.
- ``wakeup``: Wakes the supervisor: signals, deaths, reports.
- ``reexec``: Starts this program again with the same arguments.
"""
