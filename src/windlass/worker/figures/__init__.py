"""Figures of one process: gathered in memory, sent to the store every two seconds.

Files, in reading order:

- ``gatherer``: Counts how runs end, and how long they waited and ran.
- ``sender``: Sends what was gathered, as one row.
- ``minute_report``: Logs a line a minute: what a process does, and how its store answers.
"""
