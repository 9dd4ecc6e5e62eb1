"""Fires, acknowledges and resolves alerts, and lists them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from windlass.core.alerts.records import AlertRecord, AlertRule, AlertState, EventKind
from windlass.core.alerts.silence import in_force
from windlass.store.answers import records
from windlass.store.operation import Answer, Call, Lane, Operation
from windlass.store.operations.upkeep.leader import Lead

MOST_ALERTS = 10_000
"""How many alerts are kept; the oldest that are resolved go."""
MOST_DELIVERIES = 10_000
"""How many deliveries are kept; the oldest go, whether they were made or not."""
KEPT_FOR = 90 * 86_400_000
"""Milliseconds for which an alert is kept after it was resolved, and a delivery after it was settled."""
_OPEN_AT_MOST = 2_000
"""How many alerts one evaluation reads: all that are open, and the newest of those that were resolved lately."""
LIST_AT_MOST = 1_000

NewDelivery = tuple[str, str, str]
"""The id of an alert, what happened to it, and the channel that is to tell it."""


class AlertFilter(Struct, frozen=True):
    """Which alerts are wanted; None: whatever it is."""

    id: str | None = None
    """With what its id begins."""
    rule: str | None = None
    severity: str | None = None
    states: Sequence[AlertState] = ()
    since: int | None = None
    """Those that fired then or later."""


class Situation(Struct, frozen=True):
    """What a leader reads before it evaluates rules."""

    now: int
    rules: list[AlertRule]
    alerts: list[AlertRecord]
    """All open ones, and those that were resolved lately."""


def situation(*, resolved_within: int) -> Operation[Situation]:
    """Rules and alerts; of those that are resolved, the ones of the last ``resolved_within`` milliseconds."""
    answer = yield Call("alert_situation", {"within": resolved_within, "limit": _OPEN_AT_MOST}, Lane.READ)
    now = int(answer["now"][0][0])
    rules = [in_force(rule, now=now) for rule in records(answer["rules"], AlertRule) if not rule.is_deleted]
    return Situation(now, rules, records(answer["alerts"], AlertRecord))


class Recorded(Struct, frozen=True):
    """What an evaluation of rules has changed."""

    fired: list[str]
    resolved: list[str]
    """Ids of alerts."""


def record(
    lead: Lead,
    *,
    fired: Sequence[AlertRecord] = (),
    resolved: Iterable[str] = (),
    unsilenced: Iterable[str] = (),
    deliveries: Sequence[NewDelivery] = (),
) -> Operation[Recorded | None]:
    """Store alerts that fire, mark others as resolved, and note what is to be delivered of both, and of those that
    fired in a silence and still fire (``unsilenced``); by the leader of this term. None, and nothing is changed, if it
    leads no more.

    Of each rule and subject one alert is open at a time: where there is one already, whatever has fired it, none is
    added, and nothing is delivered of it. So a repeat after no reply changes nothing.
    """
    params = {
        "duty": lead.duty,
        "holder": lead.holder,
        "term": lead.term,
        "fired": list(fired),
        "resolved": [(id,) for id in resolved],
        "unsilenced": [(id,) for id in unsilenced],
        "deliveries": list(deliveries),
    }
    answer = yield Call("alert_record", params)
    if "stale" in answer:
        return None
    return Recorded(_ids(answer, "fired"), _ids(answer, "resolved"))


def alerts(filter: AlertFilter, *, limit: int, before: str | None = None) -> Operation[list[AlertRecord]]:
    """The newest alerts that a filter lets through, of those with an id below ``before``."""
    params = {
        "id": filter.id,
        "rule": filter.rule,
        "severity": filter.severity,
        "states": [state.value for state in filter.states],
        "since": filter.since,
        "before": before,
        "limit": limit,
    }
    answer = yield Call("alert_list", params, Lane.READ)
    return records(answer["alerts"], AlertRecord)


def acknowledge(id: str, *, by: str) -> Operation[bool]:
    """Note that a person has seen an alert that fires; false where it does not, or not any more. A repeat after no
    reply gives false, and the alert shows who acknowledged it.
    """
    answer = yield Call("alert_acknowledge", {"id": id, "by": by})
    return bool(answer["acknowledged"])


def resolve(id: str, *, by: str, channels: Sequence[str] = ()) -> Operation[bool]:
    """Resolve an open alert by hand, and note that as to be delivered; false where it is not open. Its rule fires again
    after its cool-down, if it still holds. A repeat changes nothing, and gives false.
    """
    deliveries = [(id, EventKind.RESOLVED.value, channel) for channel in channels]
    answer = yield Call("alert_resolve", {"id": id, "by": by, "deliveries": deliveries})
    return bool(answer.get("resolved"))


def open_counts() -> Operation[dict[tuple[str, str], int]]:
    """How many alerts are open, by state and severity."""
    answer = yield Call("alert_counts", {}, Lane.READ)
    return {(state, severity): count for state, severity, count in answer["counts"]}


def _ids(answer: Answer, part: str) -> list[str]:
    return [id for (id,) in answer.get(part, ())]
