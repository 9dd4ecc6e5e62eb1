"""Rates and their token buckets, and cool-downs.

Files, in reading order:

- ``rate``: A rate as people write it: "30/min".
- ``bucket``: The token bucket, as every store keeps it.
- ``cooldown``: How long a cool-down lasts.
"""
