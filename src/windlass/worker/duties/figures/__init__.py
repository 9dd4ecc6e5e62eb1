"""Figures of the whole store: rows of workers are merged into buckets, beside what the leader reads.

Files, in reading order:

- ``sampler``: Reads depths, workers and the state of the store, for charts.
- ``rolling_up``: The duty: merges rows into buckets and removes old ones.
"""
