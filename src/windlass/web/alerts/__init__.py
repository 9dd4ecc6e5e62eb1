"""Alerts and their rules over HTTP.

Files, in reading order:

- ``shapes``: Types of what is asked and answered.
- ``routes``: The handlers, and their rows of the table of routes.
"""
