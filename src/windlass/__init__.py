"""Background jobs for Python: start in one SQLite file, grow to many machines by changing one URL.

A job may run more than once, after a crash; it ends once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from windlass.version import VERSION as __version__

if TYPE_CHECKING:
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

_HOMES = {
    "windlass.active": ("ActiveJob", "current_job"),
    "windlass.app": ("Windlass",),
    "windlass.core.codec": ("Limits",),
    "windlass.core.fault": ("Fault",),
    "windlass.core.retry": ("PROGRAMMING_ERRORS", "Retry"),
    "windlass.core.state": ("State",),
    "windlass.core.unique": ("Unique",),
    "windlass.errors": (
        "AppClosed",
        "Cancel",
        "ConfigError",
        "IdConflict",
        "IllegalTransition",
        "JobCancelled",
        "JobFailed",
        "JobNotFound",
        "JobTimeout",
        "LeaseLost",
        "OutcomeUnknown",
        "PayloadError",
        "PayloadTooLarge",
        "PermanentError",
        "QueueFull",
        "RetryableError",
        "Snooze",
        "StoreUnavailable",
        "Throttled",
        "UnknownTask",
        "WindlassError",
    ),
    "windlass.job": ("Job", "Progress"),
    "windlass.pull": ("ClaimedJob",),
    "windlass.queue": ("Queue",),
    "windlass.retention": ("Retention",),
    "windlass.task": ("Request", "Task"),
}
"""Where each name comes from; a module is loaded when one of its names is first used."""


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            found: object = getattr(import_module(module), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'windlass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
