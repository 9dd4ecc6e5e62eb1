"""Encryption of stored texts: which keys there are, what a text is bound to, how it looks in the store.

Files, in reading order:

- ``text``: The form of an encrypted text; what can be said of it without a key.
- ``keys``: Encryption keys: made, read from settings, and what is wrong with them.
- ``encryption``: Encrypts and decrypts texts, each bound to where it belongs.
- ``jobs``: The texts of jobs: encrypted on their way to the store, opened on their way back.
- ``renewal``: The same texts under the key that encrypts now.
"""
