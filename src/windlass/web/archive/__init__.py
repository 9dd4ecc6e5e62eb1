"""The archive over HTTP: jobs that retention has put aside.

Files, in reading order:

- ``shapes``: Types of what is asked and answered.
- ``routes``: The handlers, and their rows of the table of routes.
"""
