"""Schedules as users see them: declare, add, look up, change.

Files, in reading order:

- ``schedulable``: The part of an app that is about schedules.
- ``options``: What can be said about a schedule: names, defaults, checks.
- ``declaration``: What code declares or an operator adds, checked.
- ``declarations``: The schedules that the code of an app declares, by name.
- ``stored``: Reads schedules from the store, and stores those that this program declares.
- ``schedule``: The handle of one schedule.
- ``settings``: What a schedule says, in the types of the API.
- ``edit``: An operator's changes to what a schedule says.
- ``encrypted``: What a schedule says of its jobs, encrypted in the store.
- ``scheduled_jobs``: Makes the job of a slot.
- ``fires``: The ledger of fires: what became of each slot of a schedule.
"""
