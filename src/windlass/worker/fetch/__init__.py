"""Fetches jobs and hands in endings.

Files, in reading order:

- ``pump``: The worker's loop: one cycle with the store at a time.
- ``cycle_client``: Makes cycles, and repeats one whose reply was not received.
- ``capacity``: How many jobs to ask each queue for.
- ``prefetch``: How fast the jobs of each queue run, and so how many to fetch ahead.
- ``claim_size``: How many bytes one cycle may carry.
- ``wake_ups``: Which notifications a worker goes to the store for, and when.
"""
