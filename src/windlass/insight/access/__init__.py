"""Tokens and the record of changes as people see them.

Files, in reading order:

- ``tokens``: Tokens of the HTTP API; their texts are stored nowhere.
- ``audit``: Who changed what to how many.
"""
