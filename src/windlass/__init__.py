"""Background jobs for Python: start in one SQLite file, grow to many machines by changing one URL.

A job may run more than once, after a crash; it ends once.
"""

from windlass.active import ActiveJob, current_job
from windlass.app import Windlass
from windlass.core.codec import Limits
from windlass.core.fault import Fault
from windlass.core.retry import PROGRAMMING_ERRORS, Retry
from windlass.core.state import State
from windlass.core.unique import Unique
from windlass.errors import (
    AppClosed,
    Cancel,
    ConfigError,
    IdConflict,
    IllegalTransition,
    JobCancelled,
    JobFailed,
    JobNotFound,
    JobTimeout,
    LeaseLost,
    OutcomeUnknown,
    PayloadError,
    PayloadTooLarge,
    PermanentError,
    QueueFull,
    RetryableError,
    Snooze,
    StoreUnavailable,
    Throttled,
    UnknownTask,
    WindlassError,
)
from windlass.job import Job, Progress
from windlass.pull import ClaimedJob
from windlass.queue import Queue
from windlass.retention import Retention
from windlass.task import Request, Task
from windlass.version import VERSION as __version__

__all__ = [
    "PROGRAMMING_ERRORS",
    "ActiveJob",
    "AppClosed",
    "Cancel",
    "ClaimedJob",
    "ConfigError",
    "Fault",
    "IdConflict",
    "IllegalTransition",
    "Job",
    "JobCancelled",
    "JobFailed",
    "JobNotFound",
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
    "Request",
    "Retention",
    "Retry",
    "RetryableError",
    "Snooze",
    "State",
    "StoreUnavailable",
    "Task",
    "Throttled",
    "Unique",
    "UnknownTask",
    "Windlass",
    "WindlassError",
    "__version__",
    "current_job",
]
