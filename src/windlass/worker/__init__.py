"""The worker: claims jobs, runs them, and writes how they ended.

Files, in reading order:

- ``worker``: The worker: one thread for each loop, started and stopped together.
- ``build``: Puts a worker together from its parts.
- ``settings``: The settings of a worker, checked and completed.
- ``identity``: The name of a worker, for people; leases use a random id.
- ``release``: Which code a worker runs.
- ``ticker``: Runs ``tick()`` in a loop on a thread: waiting and stopping are written once.
- ``status``: What a worker reports of itself.
- ``recent_jobs``: The last jobs of a worker.
- ``liveness``: Whether a worker is alive and ready.
- ``shutdown``: Stops a worker: no more claims, grace time, release the rest, close the lease.
- ``duties/``: Upkeep of the store: the duties, which ``build.py`` registers, and what runs them.
- ``executors/``: Where user code runs: threads, an event loop, child processes.
- ``fetch/``: Fetches jobs and writes endings.
- ``figures/``: Figures of one process: gathered in memory, sent to the store every two seconds.
- ``notifications/``: Notifications of new jobs: which a worker gets, and which wait for its pump.
- ``lease/``: The lease of a worker: its heartbeat, orders, clock skew.
- ``process/``: The process around a worker: signals, health, end.
- ``runs/``: Runs: jobs inside a worker, from claim to ending.
- ``supervisor/``: Several worker processes under one small parent, which uses neither the store nor user code.
"""
