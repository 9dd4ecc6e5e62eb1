"""Rates and their token buckets, and cool-downs.

Files, in reading order:

- ``rate``: A rate as people write it: "30/min".
- ``bucket``: The token bucket, as every store keeps it.
- ``key``: Keys of rates: of the jobs of a task with the same key only so many begin in a time.
- ``cooldown``: How long a cool-down lasts.
"""
