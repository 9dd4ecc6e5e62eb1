"""Named limits with their token buckets, and cool-downs.

Files, in reading order:

- ``limits``: Named limits: take tokens, wait for them, set them up.
- ``tasks``: Rates of tasks: how many of their jobs with the same key begin in which time.
- ``cooldowns``: Cool-downs of queues, tasks and limits.
- ``trips``: Trips tasks: from so many failures of one cause in a window on, a task cools down.
"""
