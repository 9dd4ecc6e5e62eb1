"""The lease of a worker: kept alive, and read for orders.

Files, in reading order:

- ``heartbeat``: Renews the lease and asks for control; shares no thread with user code.
- ``control``: Applies pauses, cancels, settings and lost leases to a worker.
- ``clock_skew``: Warns when the clocks of host and store disagree.
"""
