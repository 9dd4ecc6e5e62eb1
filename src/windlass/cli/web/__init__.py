"""``windlass web``: serves the HTTP API.

Files, in reading order:

- ``command``: The command.
"""
