"""Durable steps: what the runs of a job have recorded, so that later runs need not do it again.

Files, in reading order:

- ``steps``: Records what the steps of a job gave, and reads it for later runs.
- ``sent_events``: Events that jobs wait for: sends them, lets runs wait, wakes the jobs whose event has come.
"""
