"""What an operator does to a store: change many jobs, clean up, move.

Files, in reading order:

- ``operator``: The operator's methods of the app: look up, cancel, retry, purge, pause, migrate.
- ``access``: The operator's methods for the HTTP API: tokens, and the record of who changed what.
- ``alerts``: The operator's methods for alerts: look, acknowledge, resolve, change and silence rules.
- ``requests``: Requests from outside, of the command line and of HTTP, checked against the app's tasks.
- ``diagnostics``: The operator's methods for when something is wrong: diagnose the store, compare it with the
  code, mute causes.
- ``workers``: Pauses, resumes and stops workers, and takes lost ones off the lists.
- ``tasks/``: What an operator sets for single tasks.
- ``cleanup``: Deletes or archives finished jobs that retention no longer keeps, in small steps.
- ``archive``: The handle of the archive: looks at archived jobs, and puts them back.
- ``early_cleaning``: Removes finished jobs before their time where memory or disk run out.
- ``move``: Copies the jobs of a stopped queue to another store, and compares both.
- ``moved/``: What a move carries over beside jobs.
- ``rekey``: Encrypts anew what is stored under an older key, page by page, beside running workers.
- ``channel_tests``: Tries the channels of alerts by hand.
"""
