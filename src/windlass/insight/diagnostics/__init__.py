"""What people ask when something is wrong.

Files, in reading order:

- ``failures``: Failed jobs by their cause.
"""
