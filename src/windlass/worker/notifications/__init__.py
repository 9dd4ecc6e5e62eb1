"""Notifications of new jobs: which a worker gets, and which wait for its pump.

Files, in reading order:

- ``subscriptions``: What a worker is notified of.
- ``standby``: Which of many idle workers are notified of new jobs: a few are enough.
- ``wake_ups``: Notifications that wait for the pump.
"""
