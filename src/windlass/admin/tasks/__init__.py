"""What an operator sets for single tasks.

Files, in reading order:

- ``operator``: The operator's methods for single tasks: their rates, their concurrency keys, their cool-downs.
- ``concurrency``: The handle of one task's concurrency keys: how many jobs with the same key may run at once.
- ``rates``: The handle of one task's rate: how many of its jobs begin in which time.
"""
