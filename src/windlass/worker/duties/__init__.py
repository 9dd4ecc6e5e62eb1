"""Upkeep of the store: the duties, which ``build.py`` registers, and what runs them.

Files, in reading order:

- ``duty``: The protocol of a duty: a name, whether it needs the lead, ``tick() -> seconds``.
- ``duties``: Runs all duties of one process, each on its own thread.
- ``leader``: Holds the leader's lease: one process at a time does what one does for all.
- ``store_watch``: Reads what is due next, which leases expire next and which worker is the keeper, once for all duties.
- ``rescue_deferral``: Defers rescues while live workers may not have renewed their leases.
- ``promotion``: Makes jobs pending that are due, or whose event has come.
- ``rescue``: Rescues the jobs of workers whose lease has expired.
- ``backlog``: Finds pending jobs that no worker has claimed although it was notified.
- ``cleaning``: Deletes finished jobs that retention no longer keeps.
- ``stuck_keys``: Lets go jobs that were left waiting for a concurrency key that is free.
- ``vacuum``: Vacuums the hot tables (PostgreSQL); warns of a transaction that blocks it.
- ``schedules/``: Schedules: fires what is due.
- ``figures/``: Figures of the whole store: rows of workers are merged into buckets, beside what the leader reads.
- ``alerts/``: Alerts: the leader holds rules against figures.
- ``counter_check``: Compares what limits count with the jobs that run; a difference is a defect, which it reports and
  mends.
- ``clock_step``: Notices that the store's clock was stepped.
- ``standalone``: Duties without a worker: ``windlass duties``.
"""
