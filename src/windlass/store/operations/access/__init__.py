"""Tokens of the HTTP API, and the record of changes.

Files, in reading order:

- ``tokens``: Adds, finds, lists and revokes tokens.
- ``audit``: Records who changed what, and reads it back.
"""
