"""Limits on what runs, as far as they are decided without a store.

Files, in reading order:

- ``concurrency``: Concurrency keys: of one task, at most so many jobs with the same key run at once.
"""
