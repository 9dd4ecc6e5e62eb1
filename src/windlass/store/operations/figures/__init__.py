"""Figures in the store: rows of workers, and the buckets that these are merged into.

Files, in reading order:

- ``rows``: Appends what a worker has gathered; reads what is not merged yet.
- ``buckets``: Reads buckets, writes them with the rows that went into them, and removes old ones.
- ``roll_up``: Merges all rows into buckets, and removes what is no longer kept.
- ``read``: Reads a range of buckets together with the rows that are not merged yet.
- ``store_state``: Size, memory and connections of the store itself.
"""
