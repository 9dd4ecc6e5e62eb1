"""Schedules: fires what is due.

Files, in reading order:

- ``scheduling``: The duty: fires the slots of schedules, one leader for all.
- ``firing``: One round of firing: what is due, page by page, step by step.
- ``postponed``: Schedules that are left alone for a while, because their fire cannot be carried out.
"""
