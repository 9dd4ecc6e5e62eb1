"""``windlass tokens`` and ``windlass audit``: who may use the HTTP API, and who changed what.

Files, in reading order:

- ``tokens``: ``windlass tokens``: adds, lists and revokes.
- ``audit``: ``windlass audit``: lists what was changed.
- ``trail``: Has a command's changes recorded in the audit.
- ``views``: What these commands print.
"""
