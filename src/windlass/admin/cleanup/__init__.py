"""Retention: deletes or archives finished jobs, in time or early.

Files, in reading order:

- ``cleanup``: Deletes or archives finished jobs that retention no longer keeps, in small steps.
- ``finished_line``: Cleans one line of finished jobs, those of one queue and state; jobs of flows apart.
- ``early_cleaning``: Removes finished jobs before their time where memory or disk run out.
"""
