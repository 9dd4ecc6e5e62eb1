"""Workers: runs them, lists them, stops them.

Files, in reading order:

- ``worker``: ``windlass worker``: runs jobs until stopped.
- ``worker_processes``: ``--processes``: a supervisor with worker processes, for ``worker`` and ``dev``.
- ``unnamed_queues``: Warns of a queue that only the command line names.
- ``workers``: ``windlass workers``: lists, pauses, stops, forgets.
- ``worker_stop``: Asks workers to stop, and waits until they have.
"""
