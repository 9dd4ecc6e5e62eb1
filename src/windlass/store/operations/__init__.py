"""What a store can be asked, one module a subject; each operation names calls that every store has.

Files, in reading order:

- ``enqueue``: Adds jobs.
- ``cycle``: The cycle: one call that writes endings and start marks and claims jobs.
- ``rescue``: Frees the jobs of expired leases, and decides which job is blamed for the loss.
- ``manual_claim``: Manual claims, each job under a lease of its own, and more time for them.
- ``jobs``: Changes jobs: promotes, cancels, retries, reschedules, deletes, and shows the progress of a run.
- ``leases``: Leases and workers: open, renew, control, close.
- ``queues``: Queues and their settings.
- ``schedules/``: Schedules: what they say, their changes, and the fires of their slots.
- ``queries``: Reads: jobs, counts, waiting queues, next due times.
- ``gates``: The gates before a pending job: what keeps it from being claimed.
- ``rates/``: Named limits with their token buckets, and cool-downs.
- ``limits/``: Limits on what runs.
- ``steps/``: Durable steps: what the runs of a job have recorded, so that later runs need not do it again.
- ``flows/``: Jobs that belong together.
- ``access/``: Tokens of the HTTP API, and the record of changes.
- ``live/``: What is read again and again while people or programs follow a store.
- ``diagnostics/``: What people ask a store when something is wrong.
- ``upkeep/``: What duties ask: who leads, what is no longer kept, what takes room.
- ``archive/``: The store's own archive.
- ``events``: Records events of jobs and of the store, and removes the traces of jobs whose data has vanished.
- ``figures/``: Figures: rows of workers, and the buckets that these are merged into.
- ``alerts/``: Alerts: rules, alerts with their history, and what is still to be delivered.
- ``encryption/``: Encrypted texts in the store.
- ``transfer``: Reads jobs out of one store and writes them into another.
"""
