"""Limits on what runs.

Files, in reading order:

- ``concurrency``: Concurrency keys: how many jobs of a task may hold the same key, and the jobs that wait for one.
"""
