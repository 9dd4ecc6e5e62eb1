"""Figures of one process: gathered in memory, sent to the store every two seconds.

Files, in reading order:

- ``gatherer``: Counts how runs end, and how long they waited and ran.
- ``sender``: Sends what was gathered, as one row.
"""
