"""Commands for when something is wrong.

Files, in reading order:

- ``doctor``: ``windlass doctor``: what is wrong, and what to do about it.
- ``check``: ``windlass check``: the waiting jobs of a store against the code at hand.
"""
