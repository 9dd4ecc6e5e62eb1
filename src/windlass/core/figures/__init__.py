"""Figures: counts and times of jobs in buckets of time, as far as they need no store.

Files, in reading order:

- ``histogram``: How often which time was measured, in buckets of at most 5 %.
- ``point``: The figures of one series in one bucket of time.
- ``series``: The names of series: the app, its queues, tasks, workers, schedules, and its store.
- ``releases``: Releases among the levels of the store.
- ``levels``: The lengths of buckets, and for how long each is kept.
- ``row``: What one worker has gathered since its last row.
- ``refusals``: Counts jobs that were refused because their queue was full, in the process that wanted to enqueue them.
- ``bucket``: All series of one bucket, as a text.
- ``fold``: Adds rows to the buckets that they belong to.
"""
