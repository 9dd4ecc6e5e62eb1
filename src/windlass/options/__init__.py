"""The options of jobs, tasks and workers, and the settings of queues: names, defaults, checks.

- ``jobs``: The options of a job.
- ``tasks``: The options and settings of a task.
- ``workers``: The options of a worker.
- ``queues``: The settings of a queue: what code may declare and operators may change, and how stores keep it.
- ``durations``: Durations that options take, in milliseconds.
- ``known``: Checks the names of options.
"""

from windlass.options.durations import cache_milliseconds, expiry_milliseconds, timeout_milliseconds
from windlass.options.jobs import (
    NO_OPTIONS,
    OPTION_NAMES,
    POLICIES,
    CommonOptionArguments,
    HasId,
    IsRequest,
    OnParentFailure,
    OptionArguments,
    Options,
    Parent,
)
from windlass.options.known import UNSET, check_known
from windlass.options.tasks import TASK_OPTION_NAMES, HelperTaskOptions, TaskOptions, TaskSettings
from windlass.options.workers import WORKER_DEFAULTS, WORKER_OPTION_NAMES, QueueShare, WorkerOptions

__all__ = [
    "NO_OPTIONS",
    "OPTION_NAMES",
    "POLICIES",
    "TASK_OPTION_NAMES",
    "UNSET",
    "WORKER_DEFAULTS",
    "WORKER_OPTION_NAMES",
    "CommonOptionArguments",
    "HasId",
    "HelperTaskOptions",
    "IsRequest",
    "OnParentFailure",
    "OptionArguments",
    "Options",
    "Parent",
    "QueueShare",
    "TaskOptions",
    "TaskSettings",
    "WorkerOptions",
    "cache_milliseconds",
    "check_known",
    "expiry_milliseconds",
    "timeout_milliseconds",
]
