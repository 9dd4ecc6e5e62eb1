"""``windlass flows``: jobs that belong together.

Files, in reading order:

- ``group``: All commands about flows.
"""
