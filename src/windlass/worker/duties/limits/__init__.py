"""Limits: lets go what they hold for no reason, and compares what they count.

Files, in reading order:

- ``stuck_keys``: Lets go jobs that were left waiting for a concurrency key that is free.
- ``counter_check``: Compares what limits count with the jobs that run; a difference is a defect, which it reports and
  mends.
"""
