"""``windlass schedules``: lists, shows, adds, changes, fires by hand.

Files, in reading order:

- ``group``: All commands about schedules but those that write what a schedule says.
- ``definition``: ``add`` and ``edit``: what a schedule says, from the command line.
"""
