"""The lease of a worker: its heartbeat, orders, clock skew.

Files, in reading order:

- ``heartbeat``: Renews the lease and reads orders; shares no thread with user code.
- ``control``: Applies pauses, cancels, settings and lost leases to a worker.
- ``clock_skew``: Warns when the clocks of host and store disagree.
"""
