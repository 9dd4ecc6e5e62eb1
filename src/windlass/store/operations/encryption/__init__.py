"""Encrypted texts in the store.

Files, in reading order:

- ``rekey``: Puts texts in the place of others that say the same: encrypted anew, or for the first time.
"""
