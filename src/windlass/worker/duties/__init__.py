"""Upkeep of the store: the duties, which ``build`` registers, and what runs them.

Files, in reading order:

- ``duty``: The protocol of a duty: a name, whether it needs the lead, ``tick() -> seconds``.
- ``build``: Puts all duties of a process together: a new duty is one line here.
- ``duties``: Runs all duties of one process, each on its own thread.
- ``leader``: Holds the leader's lease: one process at a time does what one does for all.
- ``store_watch``: Reads what is due next, which leases expire next and which worker is the keeper, once for all duties.
- ``rescue_deferral``: Defers rescues while live workers may not have renewed their leases.
- ``promotion``: Makes jobs pending that are due, or whose event has come.
- ``rescue``: Rescues the jobs of workers whose lease has expired.
- ``backlog``: Finds pending jobs that no worker has claimed although it was notified.
- ``cleaning``: Deletes finished jobs that retention no longer keeps.
- ``early_cleaning``: Deletes finished jobs before their time while memory or disk run out.
- ``limits/``: Lets go jobs that a limit holds for no reason, and compares what limits count with the jobs that run.
- ``vacuum``: Vacuums the hot tables (PostgreSQL); warns of a transaction that blocks it.
- ``schedules/``: Schedules: fires what is due.
- ``figures/``: Figures of the whole store: rows of workers are merged into buckets, beside what the leader reads.
- ``alerts/``: Alerts: the leader compares rules with figures.
- ``clock_step``: Notices that the store's clock was stepped.
- ``standalone``: Duties without a worker: ``windlass duties``.
"""
