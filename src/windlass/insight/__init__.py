"""Read models: what people and programs see. Nothing here prints or changes anything.

Files, in reading order:

- ``overview``: Everything at a glance: queues, workers, counts, problems.
- ``workers``: Workers as an app sees them.
- ``figures/``: Figures as people and programs see them.
- ``job_page``: Reads a page of jobs that a filter finds.
- ``keys``: Concurrency keys as people see them: the limits of tasks, and the keys that jobs hold.
- ``limits``: Named limits as people see them.
- ``cooldowns``: Cool-downs as people see them.
- ``tasks``: Tasks as operators see them: their rates, and what of them cools down.
- ``access/``: Tokens and the record of changes as people see them.
- ``alerts/``: Alerts, their rules and their deliveries as people see them.
- ``job_filter``: Which jobs a list or a bulk change is about.
- ``diagnostics/``: What people ask when something is wrong.
- ``flows/``: Graphs of jobs that wait for each other.
- ``timeline``: The history of one job, from its columns and its recorded events.
- ``why``: Why a job is not running, in one sentence.
- ``notices``: Store events of the last days that an operator should know.
- ``schedules``: What users gave a schedule, secrets masked.
- ``payload``: What users gave a job and what it gave back, secrets masked.
- ``unreadable``: Which stored texts of a job are damaged.
- ``json_forms/``: Jobs, queues, workers and notices as values for JSON.
- ``redact``: Masks secrets in job data, and in texts for people.
"""
