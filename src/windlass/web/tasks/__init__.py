"""Tasks over HTTP: those that are known, and their rates.

- ``routes``: The tasks that the process knows; the rate of one: look at, set, follow the code again, resume.
"""
