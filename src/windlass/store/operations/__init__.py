"""What a store can be asked, one module a subject; each operation names calls that every store has.

Files, in reading order:

- ``enqueue``: Adds jobs.
- ``jobs``: Claims, cycles, finishes, rescues and changes jobs.
- ``pages``: How much one call takes: a page ends at a number of jobs or of bytes.
- ``leases``: Leases and workers: open, renew, control, close.
- ``queues``: Queues and their settings.
- ``leader``: The leader's lease, for duties that one worker does for all.
- ``queries``: Reads: jobs, counts, waiting queues, next due times, gates.
- ``prune``: Retention: finds finished jobs that are no longer kept, archives and deletes them.
- ``tidy``: Removes old events, keys and leftovers, a bounded part at a time.
- ``vacuum``: Vacuums the tables through which every job passes (PostgreSQL).
- ``events``: Records store events, and removes what is left of jobs whose data was evicted or deleted.
- ``transfer``: Reads jobs out of one store and writes them into another.
"""
