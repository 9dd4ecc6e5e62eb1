"""Decisions without I/O, clock or logging.

Files, in reading order:

- ``state``: The states of a job, and the one table of transitions between them.
- ``records``: The columns of a job, as the store returns them.
- ``outcome``: The outcome of an attempt, before its ending is decided.
- ``decide``: The one place where an outcome becomes a state.
- ``ending``: What is written when a run has ended.
- ``retry``: When a failed attempt runs again, and which errors are final.
- ``suspect``: Suspects: jobs whose last run died together with its process.
- ``unique``: Unique jobs: what makes two jobs equal, and for how long.
- ``progress``: How far a run is, as its job shows it and as it is stored.
- ``meta``: Metadata and tags, which travel with a job besides its arguments.
- ``round_robin``: Smooth weighted round robin: fair shares without bursts.
- ``ulid``: ULIDs: ids that sort by creation time.
- ``validate``: Checks names and settings; raises ``ConfigError`` that names the setting.
- ``units``: Durations and amounts of memory as people write them: "10m", "512MB".
- ``access/``: Who may do what over HTTP: roles, and tokens as texts.
- ``limits/``: Limits on what runs, as far as they are decided without a store.
- ``encryption/``: Encryption of stored texts: which keys there are, what a text is bound to, how it looks in the store.
- ``codec/``: Arguments, results and metadata as JSON text and back; a stored name is never imported.
- ``flows/``: Jobs that belong together: decisions without I/O.
- ``rates/``: Rates and their token buckets, and cool-downs.
- ``fault/``: Attempts that did not complete their job, and their exceptions, as data.
- ``schedules/``: When schedules are due and which of their slots fire.
- ``alerts/``: Alerts: rules as data, and what a rule has found, as far as they need no store.
- ``figures/``: Figures: counts and times of jobs in buckets of time, as far as they need no store.
"""
