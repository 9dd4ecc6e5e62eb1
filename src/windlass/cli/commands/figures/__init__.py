"""``windlass figures``: counts, times and depths over time.

Files, in reading order:

- ``command``: ``windlass figures``: counts, times and depths over time.
- ``view``: Figures at a glance: a chart in a line, times, and a table by name.
"""
