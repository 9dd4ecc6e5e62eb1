"""What admins look at when something is wrong: the raw record of a job, and the keys of a Redis store.

Files, in reading order:

- ``shapes``: Types of what is asked and answered.
- ``routes``: The handlers, and their rows of the table of routes.
"""
