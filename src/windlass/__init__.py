"""Background jobs for Python: start in one SQLite file, grow to many machines by changing one URL.

A job may run more than once, after a crash; it ends once.

Files, in reading order:

- ``app``: The app: declares tasks, enqueues jobs, looks them up, makes workers.
- ``task``: Tasks: registered functions, and requests to run them.
- ``job``: The handle of one job: its state, its result, and what can be done to it.
- ``limit``: The handle of one named limit: a budget of tokens that all processes share.
- ``queue``: The handle of one queue: its length, its settings, its pause.
- ``active_job``: The running job, as its own task sees it: ``ActiveJob`` and ``current_job``.
- ``claimed_job``: A job that the caller claimed and runs by itself: ``app.claim``.
- ``options/``: The options of jobs, tasks and workers and the settings of queues: names, defaults, checks.
- ``retention``: How long finished jobs are kept.
- ``archive/``: Where finished jobs go before retention deletes them, and how they are read back.
- ``hooks``: Hooks: user code around every enqueue and every run.
- ``errors``: Every exception that a user can meet, in one tree.
- ``clock``: The only place that reads the time, sleeps, or draws a random number.
- ``forks``: Resets objects in a forked child, and keeps connections that it inherited from being closed.
- ``lazy``: Names that are imported when they are first used.
- ``version``: The version of the package.
- ``admin/``: What an operator does to a store: change many jobs, clean up, move.
- ``cli/``: The command line.
- ``client/``: What an app, its handles and its workers share to talk to the store.
- ``delivery/``: Takes alerts to people: webhook, e-mail, log.
- ``core/``: Decisions without I/O, clock or logging.
- ``flows/``: Jobs that belong together, as users see them.
- ``insight/``: Read models: what people and programs are shown. Nothing here prints or changes anything.
- ``integrations/``: Other libraries; each is imported only when it is used.
- ``programs/``: Jobs that run programs: commands, one process each, and helpers, which stay and answer line by line.
- ``schedules/``: Schedules as users see them: declare, add, look up, change.
- ``steps/``: Durable steps, as a running job uses them.
- ``store/``: The store: what is asked of it, and the three that answer.
- ``testing/``: For tests of code that enqueues: run jobs at once, collect them, move the time.
- ``threads/``: Threads of our own.
- ``web/``: The HTTP API: jobs, queues, workers, limits and schedules for programs in any language.
- ``worker/``: The worker: claims jobs, runs them, and writes how they ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.active_job import ActiveJob, current_job, this_job
from windlass.core.fault.trip import Trip
from windlass.core.rates.cooldown import Cooldown
from windlass.core.retry import PROGRAMMING_ERRORS, Retry
from windlass.core.state import State
from windlass.core.unique import Unique
from windlass.errors import (
    AppClosed,
    Cancel,
    CommandFailed,
    ConfigError,
    EventTimeout,
    HelperDied,
    HelperFailed,
    IdConflict,
    IllegalTransition,
    JobCancelled,
    JobFailed,
    JobInterrupted,
    JobNotFound,
    JobSuspended,
    JobTimeout,
    LeaseLost,
    LimitTimeout,
    NoKey,
    OutcomeUnknown,
    PayloadError,
    PayloadTooLarge,
    PermanentError,
    QueueFull,
    ReentrantCall,
    RetryableError,
    ScheduleNotFound,
    Snooze,
    StartRefused,
    StepRejected,
    StepsChanged,
    StoreNotFound,
    StoreUnavailable,
    Throttled,
    UnknownTask,
    WindlassError,
)
from windlass.lazy import lazy_names
from windlass.version import VERSION as __version__

if TYPE_CHECKING:
    from windlass.admin.archive import ArchivedJobs
    from windlass.admin.tasks.concurrency import Concurrency
    from windlass.admin.tasks.rates import TaskRate
    from windlass.app import Windlass
    from windlass.archive.protocol import Archive, ArchivedJob
    from windlass.archive.query import ArchivePage
    from windlass.claimed_job import ClaimedJob
    from windlass.core.codec import Limits
    from windlass.core.codec.types.parent_failed import ParentFailed
    from windlass.core.encryption.keys import new_encryption_key
    from windlass.core.fault import Fault
    from windlass.core.progress import Progress
    from windlass.flows.chain import chain
    from windlass.flows.flow import Flow, FlowProgress
    from windlass.flows.group import group
    from windlass.flows.group_flow import GroupFlow
    from windlass.flows.results import Results
    from windlass.insight.figures.figures import Figures
    from windlass.insight.figures.view import FigurePoint
    from windlass.insight.flows.graph import FlowEdge, FlowGraph, FlowNode
    from windlass.insight.flows.groups import FlowGroup
    from windlass.insight.job_page import JobPage
    from windlass.insight.limits.cooldowns import CooldownView
    from windlass.insight.limits.keys import BusyKey, BusyKeyPage, ConcurrencyView
    from windlass.insight.limits.limits import LimitView
    from windlass.insight.limits.tasks import TaskRateView
    from windlass.insight.timeline import TimelineEntry
    from windlass.job import Job
    from windlass.limit import Limit
    from windlass.options import QueueShare
    from windlass.programs.command import command
    from windlass.programs.helpers.helper import Helper
    from windlass.queue import Queue
    from windlass.retention import Retention
    from windlass.schedules.schedule import Schedule
    from windlass.steps.view import StepView
    from windlass.task import Request, Task, TaskWithOptions
    from windlass.worker.status import WorkerStatus
    from windlass.worker.worker import Worker
else:
    # Loaded when first used: pytest imports it with its plugins wherever Windlass is installed, whether used or not.
    _HOMES = {
        "BusyKey": "windlass.insight.limits.keys",
        "BusyKeyPage": "windlass.insight.limits.keys",
        "ClaimedJob": "windlass.claimed_job",
        "Concurrency": "windlass.admin.tasks.concurrency",
        "ConcurrencyView": "windlass.insight.limits.keys",
        "Fault": "windlass.core.fault",
        "Flow": "windlass.flows.flow",
        "FlowEdge": "windlass.insight.flows.graph",
        "FlowGraph": "windlass.insight.flows.graph",
        "FlowGroup": "windlass.insight.flows.groups",
        "FlowNode": "windlass.insight.flows.graph",
        "FlowProgress": "windlass.flows.flow",
        "GroupFlow": "windlass.flows.group_flow",
        "Helper": "windlass.programs.helpers.helper",
        "Job": "windlass.job",
        "FigurePoint": "windlass.insight.figures.view",
        "Figures": "windlass.insight.figures.figures",
        "JobPage": "windlass.insight.job_page",
        "CooldownView": "windlass.insight.limits.cooldowns",
        "Limit": "windlass.limit",
        "LimitView": "windlass.insight.limits.limits",
        "Limits": "windlass.core.codec",
        "ParentFailed": "windlass.core.codec.types.parent_failed",
        "Progress": "windlass.core.progress",
        "Queue": "windlass.queue",
        "QueueShare": "windlass.options",
        "Request": "windlass.task",
        "Results": "windlass.flows.results",
        "Archive": "windlass.archive.protocol",
        "ArchivedJob": "windlass.archive.protocol",
        "ArchivedJobs": "windlass.admin.archive",
        "ArchivePage": "windlass.archive.query",
        "Retention": "windlass.retention",
        "Schedule": "windlass.schedules.schedule",
        "StepView": "windlass.steps.view",
        "Task": "windlass.task",
        "TaskRate": "windlass.admin.tasks.rates",
        "TaskRateView": "windlass.insight.limits.tasks",
        "TaskWithOptions": "windlass.task",
        "TimelineEntry": "windlass.insight.timeline",
        "Windlass": "windlass.app",
        "Worker": "windlass.worker.worker",
        "WorkerStatus": "windlass.worker.status",
        "chain": "windlass.flows.chain",
        "group": "windlass.flows.group",
        "command": "windlass.programs.command",
        "new_encryption_key": "windlass.core.encryption.keys",
    }

    __getattr__ = lazy_names(__name__, _HOMES)

    def __dir__() -> list[str]:
        return __all__


__all__ = [
    "PROGRAMMING_ERRORS",
    "ActiveJob",
    "AppClosed",
    "Archive",
    "ArchivePage",
    "ArchivedJob",
    "ArchivedJobs",
    "BusyKey",
    "BusyKeyPage",
    "Cancel",
    "ClaimedJob",
    "CommandFailed",
    "Concurrency",
    "ConcurrencyView",
    "ConfigError",
    "Cooldown",
    "CooldownView",
    "EventTimeout",
    "Fault",
    "FigurePoint",
    "Figures",
    "Flow",
    "FlowEdge",
    "FlowGraph",
    "FlowGroup",
    "FlowNode",
    "FlowProgress",
    "GroupFlow",
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
    "JobSuspended",
    "JobTimeout",
    "LeaseLost",
    "Limit",
    "LimitTimeout",
    "LimitView",
    "Limits",
    "NoKey",
    "OutcomeUnknown",
    "ParentFailed",
    "PayloadError",
    "PayloadTooLarge",
    "PermanentError",
    "Progress",
    "Queue",
    "QueueFull",
    "QueueShare",
    "ReentrantCall",
    "Request",
    "Results",
    "Retention",
    "Retry",
    "RetryableError",
    "Schedule",
    "ScheduleNotFound",
    "Snooze",
    "StartRefused",
    "State",
    "StepRejected",
    "StepView",
    "StepsChanged",
    "StoreNotFound",
    "StoreUnavailable",
    "Task",
    "TaskRate",
    "TaskRateView",
    "TaskWithOptions",
    "Throttled",
    "TimelineEntry",
    "Trip",
    "Unique",
    "UnknownTask",
    "Windlass",
    "WindlassError",
    "Worker",
    "WorkerStatus",
    "__version__",
    "chain",
    "command",
    "current_job",
    "group",
    "new_encryption_key",
    "this_job",
]
