"""What duties ask of a store: who leads, what is old, what takes room.

Files, in reading order:

- ``leader``: The leader's lease, for duties that one worker does for all.
- ``prune``: Retention: finds finished jobs that are no longer kept, archives and deletes them.
- ``tidy``: Removes old events, keys and leftovers, a bounded part at a time.
- ``vacuum``: Vacuums the tables through which every job passes (PostgreSQL).
"""
