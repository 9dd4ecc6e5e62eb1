"""What people ask a store when something is wrong.

Files, in reading order:

- ``failures``: Failed jobs by what went wrong.
- ``mutes``: Mutes causes of failures: they stay where they are, and alerts do not count them.
- ``by_hand``: Fails a job by hand.
- ``consistency``: Compares what a store holds with itself, in bounded pages, and sets right what is safe to set right.
- ``runs``: Running jobs that take long.
- ``raw_job``: What a store holds of one job, under the names of its own columns or fields.
- ``keys``: The keys of a Redis store.
"""
