"""Pages about workers.

Files, in reading order:

- ``workers``: What each worker does; which were lost.
- ``worker``: One worker: its slots, its last jobs, its stacks.
"""
