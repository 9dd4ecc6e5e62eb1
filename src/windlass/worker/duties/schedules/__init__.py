"""Schedules: tells which ones the code declares, and fires what is due.

Files, in reading order:

- ``scheduling``: The duty: fires the slots of schedules, one leader for all.
- ``firing``: One round of firing: what is due, page by page, step by step.
- ``declaration``: Tells the store which schedules this process's code declares, for as long as it runs.
- ``fire_due``: Fires what is due once, in the process that asks for it.
- ``postponed``: Schedules that are left alone for a while, because their fire cannot be carried out.
"""
