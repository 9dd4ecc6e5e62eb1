"""Logs: what jobs log and print, and what a worker logs of its runs.

Files, in reading order:

- ``job_log``: Captures what a job logs and prints.
- ``run_log``: Logs one line for every run that ended without an error.
- ``failure_log``: Logs runs that failed, with their tracebacks.
- ``job_fields``: The fields of log lines that are about one job, for formatters that write them.
"""
