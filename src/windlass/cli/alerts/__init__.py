"""``windlass alerts``: what fires, what fired, and the rules.

Files, in reading order:

- ``command``: ``windlass alerts``: lists, shows, acknowledges, resolves.
- ``rules``: ``windlass alerts rules``: lists, adds, edits, deletes.
- ``silences``: ``windlass alerts silence`` and ``unsilence``: deliver nothing of a rule for a time.
- ``views``: What these commands print.
"""
