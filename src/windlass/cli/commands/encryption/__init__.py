"""Encryption keys on the command line.

Files, in reading order:

- ``generate``: ``windlass keys generate``: makes an encryption key.
- ``rekey``: ``windlass rekey``: encrypts anew what is under an older key.
"""
