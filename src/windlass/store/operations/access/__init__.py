"""Who may use the HTTP API, and what was changed by whom.

Files, in reading order:

- ``tokens``: Adds, finds, lists and revokes tokens.
- ``audit``: Records who changed what, and reads it back.
"""
