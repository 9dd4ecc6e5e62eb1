"""alerts: one of each rule and subject is open at a time, by the leader's word; what is to be delivered is kept."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from tests.store.builders import DAY, SECOND
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.core.alerts.records import AlertRecord, AlertState, Delivery, DeliveryState
from windlass.core.alerts.rules import new_rule
from windlass.store.operations.alerts.alerts import (
    KEPT_FOR,
    AlertFilter,
    Recorded,
    acknowledge,
    alerts,
    open_counts,
    record,
    resolve,
    situation,
)
from windlass.store.operations.alerts.deliveries import deliveries, deliveries_due, settle_delivery
from windlass.store.operations.alerts.rules import save
from windlass.store.operations.alerts.transfer import import_alerts
from windlass.store.operations.upkeep.leader import LEADER, Lead, take_lead
from windlass.store.operations.upkeep.tidy import tidy_alerts


def lead(store: Store, holder: str = "a") -> Lead:
    return store.run(take_lead(LEADER, holder=holder, ttl=10 * SECOND))


def alert(
    store: Store, id: str, *, rule: str = "deep", subject: str = "queue:mail", severity: str = "warning"
) -> AlertRecord:
    return AlertRecord(
        id=id,
        rule=rule,
        subject=subject,
        severity=severity,
        expression="queue_depth > 10",
        message='odd "é" \\ \n text',
        readings=msgspec.json.encode({"queue_depth": 12.5}).decode(),
        state="firing",
        fired_at=store.clock(),
    )


def fire(store: Store, *given: AlertRecord, channels: tuple[str, ...] = ()) -> Recorded | None:
    told = [(one.id, "fired", channel) for one in given for channel in channels]
    return store.run(record(lead(store), fired=given, deliveries=told))


def listed(store: Store, *, limit: int = 100, before: str | None = None, **filter: object) -> list[AlertRecord]:
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return store.run(alerts(AlertFilter(**filter), limit=limit, before=before))  # type: ignore[arg-type]  # by name


def ids(found: list[AlertRecord]) -> list[str]:
    return [one.id for one in found]


def test_a_firing_is_stored_with_what_is_to_be_delivered(store: Store) -> None:
    """B22: a leader that dies before it has delivered leaves that to the next one."""
    fired = alert(store, "A1")
    assert fire(store, fired, channels=("log", "ops")) == Recorded(["A1"], [])
    assert listed(store) == [fired]
    due = store.run(deliveries_due())
    assert [(one.delivery.channel, one.delivery.tries, one.event.id) for one in due] == [
        ("log", 0, "A1.fired"),
        ("ops", 0, "A1.fired"),
    ]
    assert {one.event.alert for one in due} == {fired}


def test_what_fired_in_a_silence_is_told_later_and_once(store: Store) -> None:
    """B22: an alert is marked as silenced until people are told."""
    until = store.clock() + 50
    quiet = [replace(alert(store, id, subject=id), silenced_until=until) for id in ("A1", "A2", "A3")]
    assert store.run(record(lead(store), fired=quiet)) == Recorded(["A1", "A2", "A3"], [])
    assert listed(store) == quiet[::-1]
    store.run(record(lead(store), resolved=["A2"]))
    told = [("A1", "fired", "log"), ("A9", "fired", "log")]
    for _ in range(2):  # a repeat after no reply
        store.run(record(lead(store), unsilenced=["A1", "A9"], deliveries=told))
    assert [one.event.id for one in store.run(deliveries_due())] == ["A1.fired"]
    assert {one.id: one.silenced_until for one in listed(store)} == {"A1": None, "A2": until, "A3": until}


def test_one_alert_of_a_rule_and_subject_is_open_at_a_time(store: Store) -> None:
    """B22: fired once with any number of machines."""
    fire(store, alert(store, "A1"), channels=("log",))
    assert fire(store, alert(store, "A2"), alert(store, "A3", subject="queue:other"), channels=("log",)) == Recorded(
        ["A3"], []
    )
    assert ids(listed(store)) == ["A3", "A1"]
    assert [one.event.id for one in store.run(deliveries_due())] == ["A1.fired", "A3.fired"]


def test_a_repeated_call_changes_nothing(store: Store) -> None:
    one = alert(store, "A1")
    assert fire(store, one, channels=("log",)) == Recorded(["A1"], [])
    assert fire(store, one, channels=("log",)) == Recorded([], [])
    assert len(store.run(deliveries_due())) == 1


def test_a_stale_leader_writes_nothing(store: Store) -> None:
    """C9: a stale leader's writes are refused by its term."""
    stale = lead(store)
    fire(store, alert(store, "A1"))
    store.advance(10 * SECOND)
    lead(store, "b")
    told = [("A2", "fired", "log"), ("A1", "resolved", "log")]
    written = record(stale, fired=[alert(store, "A2", subject="all")], resolved=["A1"], deliveries=told)
    assert store.run(written) is None
    assert [(one.id, one.state) for one in listed(store)] == [("A1", "firing")]
    assert store.run(deliveries_due()) == []


def test_an_alert_is_acknowledged_and_resolved(store: Store) -> None:
    """B22: firing, acknowledged, resolved, history."""
    fire(store, alert(store, "A1"))
    store.advance(5)
    assert store.run(acknowledge("A1", by="ada"))
    assert not store.run(acknowledge("A1", by="bob")), "once"
    store.advance(5)
    told = [("A1", "resolved", "log")]
    assert store.run(record(lead(store), resolved=["A1", "A9"], deliveries=told)) == Recorded([], ["A1"])
    [found] = listed(store)
    begin = found.fired_at
    assert (found.state, found.acknowledged_at, found.acknowledged_by) == ("resolved", begin + 5, "ada")
    assert (found.resolved_at, found.resolved_by) == (begin + 10, None)
    [due] = store.run(deliveries_due())
    assert (due.event.id, due.event.at) == ("A1.resolved", begin + 10)
    assert not store.run(acknowledge("A1", by="bob"))
    assert store.run(record(lead(store), resolved=["A1"], deliveries=told)) == Recorded([], []), "a repeat"
    assert fire(store, alert(store, "A2")) == Recorded(["A2"], []), "the next one"


def test_an_alert_is_resolved_by_hand(store: Store) -> None:
    fire(store, alert(store, "A1"))
    assert store.run(resolve("A1", by="ada", channels=["log", "ops"]))
    assert not store.run(resolve("A1", by="bob", channels=["more"]))
    assert not store.run(resolve("A9", by="bob", channels=["more"]))
    [found] = listed(store)
    assert (found.state, found.resolved_by) == ("resolved", "ada")
    assert [one.delivery.channel for one in store.run(deliveries_due())] == ["log", "ops"]


def test_a_leader_sees_rules_and_alerts_in_one_call(store: Store) -> None:
    store.run(save(new_rule("deep", "queue_depth > 10")))
    fire(store, alert(store, "A1"), alert(store, "A2", subject="all"))
    store.run(record(lead(store), resolved=["A1"]))
    store.advance(100)
    seen = store.run(situation(resolved_within=1000))
    assert ([rule.name for rule in seen.rules], sorted(ids(seen.alerts)), seen.now) == (
        ["deep"],
        ["A1", "A2"],
        store.clock(),
    )
    assert ids(store.run(situation(resolved_within=100)).alerts) == ["A2"]


def test_alerts_are_filtered_and_paged(store: Store) -> None:
    begin = store.clock()
    fire(store, alert(store, "A1"), alert(store, "A2", rule="slow", severity="critical"))
    store.advance(10)
    fire(store, alert(store, "B1", subject="all"), alert(store, "B2", subject="task:pay"))
    store.run(acknowledge("A1", by="ada"))
    store.run(record(lead(store), resolved=["B1"]))
    assert ids(listed(store)) == ["B2", "B1", "A2", "A1"]
    assert ids(listed(store, limit=2)) == ["B2", "B1"]
    assert ids(listed(store, limit=2, before="B1")) == ["A2", "A1"]
    assert ids(listed(store, severity="critical")) == ["A2"]
    assert ids(listed(store, rule="slow")) == ["A2"]
    assert ids(listed(store, states=[AlertState.ACKNOWLEDGED])) == ["A1"]
    assert ids(listed(store, states=[AlertState.FIRING, AlertState.RESOLVED], since=begin + 1)) == ["B2", "B1"]
    assert ids(listed(store, id="B")) == ["B2", "B1"]
    assert ids(listed(store, id="B", before="B2")) == ["B1"]
    assert ids(listed(store, id="A1")) == ["A1"]
    assert store.run(open_counts()) == {
        ("acknowledged", "warning"): 1,
        ("firing", "warning"): 1,
        ("firing", "critical"): 1,
    }


def test_a_delivery_is_tried_until_it_is_settled(store: Store) -> None:
    fire(store, alert(store, "A1"), channels=("ops",))
    [first] = store.run(deliveries_due())
    assert store.run(settle_delivery(first.delivery, error="refused", retry_in=50))
    assert not store.run(settle_delivery(first.delivery, error="refused", retry_in=50)), "a repeat"
    assert store.run(deliveries_due()) == []
    store.advance(50)
    [second] = store.run(deliveries_due())
    assert (second.delivery.tries, second.delivery.last_error) == (1, "refused")
    assert store.run(settle_delivery(second.delivery))
    assert store.run(deliveries_due()) == []
    [done] = store.run(deliveries())
    assert (done.state, done.tries, done.settled_at) == ("delivered", 2, store.clock())


def test_a_channel_that_hangs_hides_no_other(store: Store) -> None:
    """B22: however many deliveries wait for one channel, those of another are found."""
    hung = [alert(store, f"A{number:04}", subject=f"queue:{number}") for number in range(2000)]
    for first in range(0, len(hung), 500):
        fire(store, *hung[first : first + 500], channels=("hangs",))
    fire(store, alert(store, "B1", subject="all"), channels=("ops", "gone"))
    assert [one.event.id for one in store.run(deliveries_due("ops"))] == ["B1.fired"]
    assert [one.delivery.channel for one in store.run(deliveries_due(without=["hangs", "ops"]))] == ["gone"]
    assert [one.delivery.channel for one in store.run(deliveries_due("hangs", limit=3))] == ["hangs"] * 3
    assert store.run(deliveries_due("unheard-of")) == []


def test_a_delivery_is_given_up(store: Store) -> None:
    fire(store, alert(store, "A1"), channels=("ops", "log"))
    [first, _] = store.run(deliveries_due())
    assert store.run(settle_delivery(first.delivery, error="é" * 9999))
    [failed] = store.run(deliveries(states=[DeliveryState.FAILED]))
    assert (failed.channel, failed.last_error) == ("ops", "é" * 500)
    [waiting] = store.run(deliveries(states=[DeliveryState.WAITING]))
    assert [one.number for one in store.run(deliveries())] == [waiting.number, failed.number]
    assert [one.number for one in store.run(deliveries(before=waiting.number))] == [failed.number]
    assert isinstance(waiting, Delivery)
    assert waiting.settled_at is None


def test_what_is_old_goes(store: Store) -> None:
    """A13: alerts and deliveries are bounded by age."""
    fire(store, alert(store, "A1"), alert(store, "A2", subject="all"), channels=("log",))
    store.run(record(lead(store), resolved=["A1"]))
    for one in store.run(deliveries_due()):
        store.run(settle_delivery(one.delivery))
    store.advance(KEPT_FOR)
    assert store.run(tidy_alerts()) is False
    assert len(listed(store)) == 2
    assert len(store.run(deliveries())) == 2
    store.advance(1)
    store.run(tidy_alerts())
    assert ids(listed(store)) == ["A2"], "one that is open stays"
    assert store.run(deliveries()) == []


def test_what_is_too_many_goes(store: Store) -> None:
    """A13: alerts and deliveries are bounded by number."""
    for number in range(6):
        fire(store, alert(store, f"A{number}", subject=f"queue:{number}"), channels=("log",))
    store.run(record(lead(store), resolved=["A0", "A2", "A5"]))
    for _ in range(2):  # what lost its alert in one round goes in the next
        store.run(tidy_alerts(most_alerts=3, most_deliveries=4))
    assert ids(listed(store)) == ["A5", "A4", "A3", "A1"], "what is open stays"
    assert [one.alert for one in store.run(deliveries())] == ["A5", "A4", "A3"], "one has no alert any more"
    store.advance(DAY)
    assert len(store.run(deliveries_due())) == 3


def test_alerts_of_another_store_are_added_once(store: Store) -> None:
    """A move: what is open here stays; what is still to be delivered comes with its alert."""
    here = alert(store, "A5", subject="queue:busy")
    fire(store, here)
    begin = store.clock()
    over = replace(
        alert(store, "A1"),
        state="resolved",
        acknowledged_at=7,
        acknowledged_by="ada",
        resolved_at=begin,
        resolved_by="bob",
    )
    still, other = alert(store, "A2", subject="all"), alert(store, "A3", subject="queue:busy")
    told = [("A1", "resolved", "log"), ("A2", "fired", "ops"), ("A3", "fired", "ops")]
    assert store.run(import_alerts([over, still, other], deliveries=told)) == 2
    assert store.run(import_alerts([over, still, other], deliveries=told)) == 0
    assert listed(store) == [here, still, over]
    assert [one.event.id for one in store.run(deliveries_due("ops"))] == ["A2.fired"]
    assert [one.event.id for one in store.run(deliveries_due("log"))] == ["A1.resolved"]
    assert ids(store.run(situation(resolved_within=1000)).alerts) != []
    store.run(acknowledge("A2", by="eve"))
    store.run(import_alerts([still]))
    assert [one.acknowledged_by for one in listed(store, id="A2")] == ["eve"]
