"""``windlass alerts``: what fires, what fired, and the rules.

Files, in reading order:

- ``command``: ``windlass alerts``: lists, shows, acknowledges, resolves.
- ``rules``: ``windlass alerts rules``: lists, adds, edits, deletes.
- ``views``: What these commands print.
"""
