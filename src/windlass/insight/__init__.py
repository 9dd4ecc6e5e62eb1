"""Read models: what people and programs see. Nothing here prints or changes anything.

Files, in reading order:

- ``overview``: Everything at a glance: queues, workers, counts, problems.
- ``workers``: Workers as an app sees them.
- ``figures/``: Figures as people and programs see them.
- ``job_page``: Reads a page of jobs that a filter finds.
- ``limits/``: What holds jobs back: named limits, concurrency keys, rates of tasks, cool-downs.
- ``access/``: Tokens and the record of changes as people see them.
- ``alerts/``: Alerts, their rules and their deliveries as people see them.
- ``job_filter``: Which jobs a list or a bulk change is about.
- ``confirmation``: Whether a job that a store has found by a text is meant, by what people are shown of it.
- ``diagnostics/``: What people ask when something is wrong.
- ``flows/``: Graphs of jobs that wait for each other.
- ``timeline``: The history of one job, from its columns and its recorded events.
- ``why/``: Why a job is not running, in one sentence.
- ``notices``: Store events of the last days that an operator should know.
- ``schedules``: What users gave a schedule, secrets masked.
- ``payload``: What users gave a job and what it gave back, secrets masked.
- ``json_forms/``: Jobs, queues, workers and notices as values for JSON.
- ``reads``: What operators and jobs read, in one place: each function is imported when it is first called.
- ``redact``: Masks secrets in job data, and in texts for people.
"""
