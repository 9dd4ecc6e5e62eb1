"""Readings that all pages share: they take no longer the more jobs there are.

Files, in reading order:

- ``reading``: What was read of a store, and when.
- ``shared_reading``: What many requests ask for at once, read once for all of them.
- ``background_reading``: Readings that take longer the more jobs there are: made in the background, once for all pages.
- ``counts``: How many jobs there are, for all who look at pages: no request counts more than some thousand of them.
"""
