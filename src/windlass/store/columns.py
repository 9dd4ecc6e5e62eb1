"""The columns of the rows that stores take and give: the fields of structs, by the struct's name.

Statement files and scripts name a struct instead of listing its fields, so that each field is listed once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import get_args

import msgspec

from windlass.core.alerts.records import AlertRecord, AlertRule, Delivery
from windlass.core.ending import Ending
from windlass.core.records import Claimed, Expired, JobRecord, StartedSuspect
from windlass.store.operations.access.audit import AuditRecord
from windlass.store.operations.access.tokens import TokenRecord
from windlass.store.operations.archive.archived import ArchivedPlace
from windlass.store.operations.cycle import LimitState, RateState, StartMark
from windlass.store.operations.diagnostics.failures import DeadGroup
from windlass.store.operations.diagnostics.mutes import MuteRecord
from windlass.store.operations.diagnostics.runs import LongRun
from windlass.store.operations.encryption.rekey import NewEventText, NewStepText, NewTexts
from windlass.store.operations.enqueue import JobTemplate, NewJob, Replacement
from windlass.store.operations.events import VanishedJob
from windlass.store.operations.figures.buckets import BucketRange, FigureBucket
from windlass.store.operations.figures.rows import FigureRow
from windlass.store.operations.flows.edges import NewEdge, Relative
from windlass.store.operations.flows.graph import FlowJob, FlowLink, Walked
from windlass.store.operations.flows.groups import Membership, NewGroup, NewMember
from windlass.store.operations.flows.transfer import MovedEdge
from windlass.store.operations.gates import ClaimSituation, ShutGate
from windlass.store.operations.leases import LeaseEnd, QueueControl, WorkerRecord
from windlass.store.operations.limits.concurrency import KeyDrift, KeyLimitRecord
from windlass.store.operations.live.sightings import Sighting
from windlass.store.operations.queries import Depth, EventRecord, FinishedJob, NextDue
from windlass.store.operations.queues import CounterDrift, QueueRecord
from windlass.store.operations.rates.cooldowns import CooldownRecord, Cooling
from windlass.store.operations.rates.limits import LimitRecord, LimitSeed, TakeResult
from windlass.store.operations.rates.tasks import TaskRateRecord
from windlass.store.operations.rates.trips import Failures, Tripped
from windlass.store.operations.schedules.records import CodeVersion, FireRecord, FireStep, ScheduleRecord, ScheduleRun
from windlass.store.operations.steps.sent_events import SentEvent
from windlass.store.operations.steps.steps import StepRecord
from windlass.store.operations.transfer import HeldKey, MovedEvent
from windlass.store.operations.upkeep.prune import Prunable, Pruned
from windlass.store.pages import Found

STRUCTS: Mapping[str, type[msgspec.Struct]] = {
    struct.__name__: struct
    for struct in (
        AlertRecord,
        AlertRule,
        ArchivedPlace,
        AuditRecord,
        BucketRange,
        ClaimSituation,
        Claimed,
        CodeVersion,
        CooldownRecord,
        Cooling,
        CounterDrift,
        DeadGroup,
        Delivery,
        Depth,
        Ending,
        EventRecord,
        Expired,
        Failures,
        FigureBucket,
        FigureRow,
        FinishedJob,
        FireRecord,
        FireStep,
        FlowJob,
        FlowLink,
        Found,
        HeldKey,
        JobRecord,
        JobTemplate,
        KeyDrift,
        KeyLimitRecord,
        LeaseEnd,
        LimitRecord,
        LimitSeed,
        LimitState,
        LongRun,
        MuteRecord,
        MovedEdge,
        Membership,
        MovedEvent,
        NewEdge,
        NewEventText,
        NewGroup,
        NewJob,
        NewMember,
        NewStepText,
        NewTexts,
        NextDue,
        Prunable,
        Pruned,
        QueueControl,
        QueueRecord,
        RateState,
        Relative,
        Replacement,
        ScheduleRecord,
        ScheduleRun,
        SentEvent,
        ShutGate,
        Sighting,
        StartMark,
        StartedSuspect,
        StepRecord,
        TakeResult,
        TaskRateRecord,
        TokenRecord,
        Tripped,
        VanishedJob,
        Walked,
        WorkerRecord,
    )
}


def fields_of(struct: str) -> tuple[str, ...]:
    """The fields of a struct, in the order of its columns; raises ``KeyError`` where there is no struct of that name.

    >>> fields_of("StartMark")
    ('seq', 'fence', 'ago')
    """
    return STRUCTS[struct].__struct_fields__


@cache
def numbers_of(struct: str) -> frozenset[str]:
    """Those of the fields that are numbers, or true and false."""
    fields = msgspec.structs.fields(STRUCTS[struct])
    return frozenset(field.name for field in fields if {int, bool}.intersection(get_args(field.type) or (field.type,)))
