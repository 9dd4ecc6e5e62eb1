"""Named limits with their token buckets, and cool-downs.

Files, in reading order:

- ``limits``: Named limits: take tokens, wait for them, set them up.
- ``cooldowns``: Cool-downs of queues, tasks and limits.
"""
