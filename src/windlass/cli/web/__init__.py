"""``windlass web``: serves the HTTP API.

Files, in reading order:

- ``security_options``: The options of ``windlass web`` that say how callers are known.
- ``password``: ``windlass password``: writes a line of a password file.
- ``ending``: Ends what a server process does beside serving, also while the store does not answer.
- ``command``: The command.
"""
