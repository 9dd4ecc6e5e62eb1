"""Jobs over HTTP: make, find, look at, change.

Files, in reading order:

- ``jobs``: Jobs: list, look at, cancel, retry, delete.
- ``job_filters``: Filters of jobs as requests have them.
- ``enqueue``: New jobs, one or many at once.
- ``dead``: Jobs that failed for good, and changes of many of them.
- ``flows``: Graphs of jobs that wait for each other.
"""
