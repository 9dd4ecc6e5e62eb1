"""What is read again and again while people or programs follow a store.

Files, in reading order:

- ``sightings``: Jobs that were made, run or have ended lately, as they are now.
"""
