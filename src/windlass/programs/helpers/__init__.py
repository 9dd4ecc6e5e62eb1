"""Helpers: programs that are started once and asked for every job, a line of JSON each way.

Files, in reading order:

- ``helper``: Declares a helper: a program that is started once and asked for every job.
- ``helper_settings``: The settings of a helper.
- ``helper_pool``: The processes of a helper.
- ``helper_process``: One process of a helper.
- ``helper_protocol``: The messages between worker and helper: one line of JSON each way.
"""
