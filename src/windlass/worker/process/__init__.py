"""The process around a worker: signals, health, end.

Files, in reading order:

- ``signals``: Runs a worker until a signal or an order stops it.
- ``stop_order``: The one stop of a worker, however often it is asked for.
- ``sighup``: SIGHUP: a closed terminal, or a request to restart.
- ``forked_signals``: Lets SIGTERM end processes that jobs have forked.
- ``program_end``: Ctrl-C and the end of a program that has a worker inside.
- ``startup``: Starts a worker whose store may be away.
- ``health``: Serves ``/healthz`` and ``/readyz``.
- ``own_threads``: Watches the worker's own threads; one that dies is restarted or stops the worker.
- ``stacks``: Where every thread and coroutine of a worker is at this moment.
- ``resources``: Memory and CPU time of processes.
- ``recycling``: When a worker process is replaced: after so many jobs or above so much memory.
"""
