"""``windlass archive``: jobs that retention has put aside.

Files, in reading order:

- ``command``: ``windlass archive``: lists, shows, restores.
- ``views``: What these commands print.
"""
