"""What people ask a store when something is wrong.

Files, in reading order:

- ``failures``: Failed jobs by what went wrong.
- ``by_hand``: Fails a job by hand.
- ``runs``: Running jobs that take long.
"""
