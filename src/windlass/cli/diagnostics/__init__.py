"""Commands for when something is wrong.

Files, in reading order:

- ``doctor``: ``windlass doctor``: what is wrong, and what to do about it.
- ``check``: ``windlass check``: a store against itself, or its waiting jobs against the code at hand.
- ``bench``: ``windlass bench``: a short benchmark of this store, from this machine.
"""
