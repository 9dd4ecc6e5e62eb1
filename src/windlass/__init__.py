"""Background jobs for Python: start in one SQLite file, grow to many machines by changing one URL.

A job may run more than once, after a crash; it ends once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from windlass.active import ActiveJob, current_job, this_job
from windlass.core.retry import PROGRAMMING_ERRORS, Retry
from windlass.core.state import State
from windlass.core.unique import Unique
from windlass.errors import (
    AppClosed,
    Cancel,
    CommandFailed,
    ConfigError,
    HelperDied,
    HelperFailed,
    IdConflict,
    IllegalTransition,
    JobCancelled,
    JobFailed,
    JobInterrupted,
    JobNotFound,
    JobTimeout,
    LeaseLost,
    OutcomeUnknown,
    PayloadError,
    PayloadTooLarge,
    PermanentError,
    QueueFull,
    ReentrantCall,
    RetryableError,
    Snooze,
    StartRefused,
    StoreNotFound,
    StoreUnavailable,
    Throttled,
    UnknownTask,
    WindlassError,
)
from windlass.version import VERSION as __version__

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.commands.command import command
    from windlass.commands.helper import Helper
    from windlass.core.codec import Limits
    from windlass.core.fault import Fault
    from windlass.job import Job, Progress
    from windlass.operating import JobPage
    from windlass.pull import ClaimedJob
    from windlass.queue import Queue
    from windlass.retention import Retention
    from windlass.task import Request, Task, TaskWithOptions
    from windlass.timeline import TimelineEntry
    from windlass.worker.portrait import WorkerStatus
    from windlass.worker.worker import Worker
else:
    # Loaded when first used: whoever has Windlass installed loads it with pytest's plugins, whether used or not.
    _HOMES = {
        "ClaimedJob": "windlass.pull",
        "Fault": "windlass.core.fault",
        "Helper": "windlass.commands.helper",
        "Job": "windlass.job",
        "JobPage": "windlass.operating",
        "Limits": "windlass.core.codec",
        "Progress": "windlass.job",
        "Queue": "windlass.queue",
        "Request": "windlass.task",
        "Retention": "windlass.retention",
        "Task": "windlass.task",
        "TaskWithOptions": "windlass.task",
        "TimelineEntry": "windlass.timeline",
        "Windlass": "windlass.app",
        "Worker": "windlass.worker.worker",
        "WorkerStatus": "windlass.worker.portrait",
        "command": "windlass.commands.command",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found = getattr(import_module(_HOMES[name]), name)
        return found

    def __dir__() -> list[str]:
        return __all__


__all__ = [
    "PROGRAMMING_ERRORS",
    "ActiveJob",
    "AppClosed",
    "Cancel",
    "ClaimedJob",
    "CommandFailed",
    "ConfigError",
    "Fault",
    "Helper",
    "HelperDied",
    "HelperFailed",
    "IdConflict",
    "IllegalTransition",
    "Job",
    "JobCancelled",
    "JobFailed",
    "JobInterrupted",
    "JobNotFound",
    "JobPage",
    "JobTimeout",
    "LeaseLost",
    "Limits",
    "OutcomeUnknown",
    "PayloadError",
    "PayloadTooLarge",
    "PermanentError",
    "Progress",
    "Queue",
    "QueueFull",
    "ReentrantCall",
    "Request",
    "Retention",
    "Retry",
    "RetryableError",
    "Snooze",
    "StartRefused",
    "State",
    "StoreNotFound",
    "StoreUnavailable",
    "Task",
    "TaskWithOptions",
    "Throttled",
    "TimelineEntry",
    "Unique",
    "UnknownTask",
    "Windlass",
    "WindlassError",
    "Worker",
    "WorkerStatus",
    "__version__",
    "command",
    "current_job",
    "this_job",
]
