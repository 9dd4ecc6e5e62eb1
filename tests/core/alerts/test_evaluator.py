"""evaluator: which alerts fire, and which are resolved."""

from __future__ import annotations

from itertools import count

import msgspec
import pytest
from msgspec.structs import replace

from windlass.core.alerts.evaluator import MOST_OPEN, Evaluation, RuleEvaluator
from windlass.core.alerts.records import AlertRecord, AlertRule
from windlass.core.alerts.rules import default_rules, new_rule
from windlass.core.alerts.window import Baseline, Span, Window
from windlass.core.figures.point import Gauge, Point
from windlass.errors import ConfigError

NOW = 1_800_000_000_000
LENGTH = 300_000
DEEP = new_rule("deep", "queue_depth > 10", scope="queue")


def depths(**by_queue: int) -> dict[int, Window]:
    bucket = {f"queue:{name}": Point(gauges={"depth": Gauge.of(depth)}) for name, depth in by_queue.items()}
    bucket["all"] = Point(gauges={"depth": Gauge.of(sum(by_queue.values()))})
    span = Span.of(LENGTH, NOW)
    buckets = dict.fromkeys(range(span.first, span.last + 1, span.level.step), bucket)
    return {LENGTH: Window(buckets, span=span, length=LENGTH, now=NOW, baseline=Baseline())}


@pytest.fixture
def evaluator() -> RuleEvaluator:
    numbers = count(1)
    return RuleEvaluator(new_id=lambda: f"A{next(numbers)}")


def evaluated(
    evaluator: RuleEvaluator, windows: dict[int, Window], *alerts: AlertRecord, rule: AlertRule = DEEP, now: int = NOW
) -> Evaluation:
    return evaluator.evaluate([rule], windows, alerts=alerts, now=now)


def test_each_queue_has_an_alert_of_its_own(evaluator: RuleEvaluator) -> None:
    fired = evaluated(evaluator, depths(mail=11, vip=10, tts=99)).fired
    assert [(one.id, one.subject, one.state) for one in fired] == [
        ("A1", "queue:mail", "firing"),
        ("A2", "queue:tts", "firing"),
    ]
    assert fired[0].message == "queue mail: queue_depth is 11 (rule deep: queue_depth > 10)"
    assert msgspec.json.decode(fired[0].readings) == {"queue_depth": 11.0}


def test_an_open_alert_does_not_fire_again_and_is_resolved_when_it_no_longer_holds(evaluator: RuleEvaluator) -> None:
    """B22: de-duplication."""
    [alert] = evaluated(evaluator, depths(mail=11)).fired
    acknowledged = replace(alert, state="acknowledged")
    for is_open in (alert, acknowledged):
        assert evaluated(evaluator, depths(mail=12), is_open) == Evaluation([], [], {})
        assert evaluated(evaluator, depths(mail=2), is_open).resolved == [is_open]
        assert evaluated(evaluator, depths(), is_open).resolved == [is_open], "also when nothing is seen of it any more"


def test_an_alert_rests_after_its_end(evaluator: RuleEvaluator) -> None:
    """B22: cool-down."""
    [alert] = evaluated(evaluator, depths(mail=11)).fired
    ended = replace(alert, state="resolved", resolved_at=NOW)
    assert evaluated(evaluator, depths(mail=11), ended, now=NOW + 299_999).fired == []
    assert len(evaluated(evaluator, depths(mail=11), ended, now=NOW + 300_000).fired) == 1
    assert len(evaluated(evaluator, depths(vip=11), ended).fired) == 1, "another queue does not rest"


def test_alerts_of_a_rule_that_is_switched_off_or_gone_are_resolved(evaluator: RuleEvaluator) -> None:
    [alert] = evaluated(evaluator, depths(mail=11)).fired
    assert evaluated(evaluator, depths(mail=11), alert, rule=replace(DEEP, enabled=False)).resolved == [alert]
    assert evaluator.evaluate([], depths(mail=11), alerts=[alert], now=NOW).resolved == [alert]
    assert evaluated(evaluator, depths(mail=11), alert, rule=replace(DEEP, scope="queue:vip")).resolved == [alert]


def test_a_rule_whose_window_is_not_due_is_left_alone(evaluator: RuleEvaluator) -> None:
    [alert] = evaluated(evaluator, depths(mail=11)).fired
    assert evaluated(evaluator, {}, alert) == Evaluation([], [], {})


def test_what_is_not_known_changes_nothing_for_an_hour(evaluator: RuleEvaluator) -> None:
    [alert] = evaluated(evaluator, depths(mail=11)).fired
    span = Span.of(LENGTH, NOW)
    unknown = {LENGTH: Window({}, span=span, length=LENGTH, now=NOW, baseline=Baseline())}
    assert evaluated(evaluator, unknown) == Evaluation([], [], {})
    assert evaluated(evaluator, unknown, alert) == Evaluation([], [], {})
    assert evaluated(evaluator, unknown, alert, now=NOW + 3_599_999) == Evaluation([], [], {})
    assert evaluated(evaluator, unknown, alert, now=NOW + 3_600_000).resolved == [alert]


def test_of_a_thousand_queues_some_are_told(evaluator: RuleEvaluator) -> None:
    result = evaluated(evaluator, depths(**{f"q{number}": 11 for number in range(1000)}))
    assert len(result.fired) == MOST_OPEN
    assert result.left_out == {"deep": 1000 - MOST_OPEN}


def test_the_default_rules_are_those_of_the_ledger() -> None:
    """B22: a sensible default set is on."""
    rules = {rule.name: rule for rule in default_rules()}
    assert {rule.expression for rule in rules.values() if rule.enabled} == {
        "queue_depth > 1000",
        "throughput < 0.1 * throughput_baseline and queue_depth > 0",
        "error_rate > 5%",
        "dead_letters > 0",
        "workers < 1 and queue_depth > 0",
        "workers_in_time < 80%",
        "run_p99 > 2 * run_p99_baseline and run_p99 > 100ms",
        "missed_share > 1%",
        "refused_enqueues > 0",
        "memory_share > 85% or evictions > 0",
        "clock_skew > 5s",
    }
    assert {name for name, rule in rules.items() if not rule.enabled} == {"oldest-job", "store-size"}
    assert {rule.window_length for name, rule in rules.items() if name != "missed-fires"} == {300_000}
    assert {rule.cool_down for rule in rules.values()} == {300_000}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"name": "a b"}, "rule name 'a b'"),
        ({"expression": "depth > 1"}, "rule 'r': expression: position 1: 'depth' is not known"),
        ({"scope": "queues"}, "scope must be all, queue, task, queue:NAME or task:NAME, got 'queues'"),
        ({"scope": "queue:"}, "scope must be all"),
        ({"scope": "queue:a b"}, "queue name 'a b'"),
        ({"scope": "task"}, "queue_depth is known of queues and of the app, not of tasks"),
        ({"severity": "bad"}, "severity must be one of critical, warning, info, got 'bad'"),
        ({"window": "1s"}, "window must be from 10s to 24h, got 1 s"),
        ({"cool_down": "8d"}, "cool_down must be at most 7d"),
        ({"channels": "log"}, "channels takes a list of texts"),
        ({"channels": ["a b"]}, "channel name 'a b'"),
        ({"enabled": "no"}, "enabled must be True or False"),
        ({"description": "x" * 501}, "description must be a text of at most 500 characters"),
    ],
)
def test_a_wrong_rule_is_refused(given: dict[str, object], error: str) -> None:
    whole = {"name": "r", "expression": "queue_depth > 1", **given}
    with pytest.raises(ConfigError) as caught:
        new_rule(**whole)  # type: ignore[arg-type]  # wrong on purpose
    assert error in str(caught.value)
