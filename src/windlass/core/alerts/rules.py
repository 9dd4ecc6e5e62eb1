"""What a rule may say, and the rules that every app has."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from windlass.core import validate
from windlass.core.alerts.expression import measures_of, parse
from windlass.core.alerts.measures import MEASURES
from windlass.core.alerts.records import AlertRule, Severity
from windlass.core.figures.series import ALL, QUEUE, TASK
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration

SHORTEST_WINDOW, LONGEST_WINDOW = 10_000, 86_400_000
LONGEST_COOL_DOWN = 7 * 86_400_000
MOST_RULES = 500
MOST_CHANNELS = 20
LONGEST_DESCRIPTION = 500

DEFAULT, CODE, OPERATOR = "default", "code", "operator"
"""What brings a rule into a store."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def rule_name(name: object) -> str:
    """A legal name of a rule, or ``ConfigError``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(
            f"rule name {name!r}: use letters, digits, '.', '_' and '-', at most 64, starting with a letter or digit"
        )
    return name


def new_rule(
    name: str,
    expression: str,
    *,
    scope: str = ALL,
    window: Duration = "5m",
    severity: str = Severity.WARNING.value,
    cool_down: Duration = "5m",
    enabled: bool = True,
    channels: Sequence[str] = (),
    description: str = "",
    origin: str = OPERATOR,
) -> AlertRule:
    """A rule, checked; ``ConfigError`` that names what is wrong.

    >>> new_rule("slow", "oldest_age > 10m", scope="queue").window_length
    300000
    """
    return checked(
        AlertRule(
            name=rule_name(name),
            expression=expression,
            scope=scope,
            window_length=milliseconds(window, "window"),
            severity=severity,
            cool_down=milliseconds(cool_down, "cool_down"),
            enabled=validate.flag(enabled, "enabled"),
            channels=stored_channels(channels),
            description=description,
            origin=origin,
            is_edited=False,
            revision=0,
            changed_at=0,
        )
    )


def checked(rule: AlertRule) -> AlertRule:
    """The rule, with its expression in one line; ``ConfigError`` where it says something that is not known."""
    where = f"rule {rule.name!r}"
    try:
        measures = measures_of(parse(rule.expression))
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    kind = _kind_of_scope(rule.scope, where)
    for measure in measures:
        _check_scope(measure, kind, where)
    if rule.severity not in list(Severity):
        raise ConfigError(f"{where}: severity must be one of {', '.join(Severity)}, got {rule.severity!r}")
    if not SHORTEST_WINDOW <= rule.window_length <= LONGEST_WINDOW:
        raise ConfigError(f"{where}: window must be from 10s to 24h, got {rule.window_length / 1000:g} s")
    if rule.cool_down > LONGEST_COOL_DOWN:
        raise ConfigError(f"{where}: cool_down must be at most 7d, got {rule.cool_down / 1000:g} s")
    if not _is_description(rule.description):
        raise ConfigError(f"{where}: description must be a text of at most {LONGEST_DESCRIPTION} characters")
    return replace(rule, expression=" ".join(rule.expression.split()))


def _is_description(text: object) -> bool:
    return isinstance(text, str) and len(text) <= LONGEST_DESCRIPTION and "\0" not in text


def stored_channels(channels: object) -> str:
    """Names of channels, as they are stored."""
    names = [_channel(name) for name in validate.texts(channels, "channels", example="['log', 'ops']")]
    if len(names) > MOST_CHANNELS:
        raise ConfigError(f"channels: a rule may have {MOST_CHANNELS}, got {len(names)}")
    return msgspec.json.encode(list(dict.fromkeys(names))).decode()


def _channel(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}", name):
        raise ConfigError(f"channel name {name!r}: use letters, digits and ._:@/-, at most 128")
    return name


def _kind_of_scope(scope: object, where: str) -> str:
    kind, _, name = scope.partition(":") if isinstance(scope, str) else ("", "", "")
    if kind not in (ALL, QUEUE, TASK) or (kind == ALL and scope != ALL) or (scope != kind and not name):
        raise ConfigError(f"{where}: scope must be all, queue, task, queue:NAME or task:NAME, got {scope!r}")
    if name:
        validate.queue_name(name) if kind == QUEUE else validate.task_name(name)
    return kind


def _check_scope(measure: str, kind: str, where: str) -> None:
    known = MEASURES[measure]
    if kind == TASK and known.of_queues and not known.of_tasks:
        raise ConfigError(f"{where}: {measure} is known of queues and of the app, not of tasks; use another scope")


def default_rules() -> list[AlertRule]:
    """The rules that every app has; operators change them, and switch them off."""
    critical, info = Severity.CRITICAL.value, Severity.INFO.value
    given: list[AlertRule] = []

    def add(name: str, expression: str, description: str, **more: object) -> None:
        given.append(new_rule(name, expression, description=description, origin=DEFAULT, **more))  # type: ignore[arg-type]  # options by name

    add("queue-depth", "queue_depth > 1000", "A queue grows.", scope=QUEUE)
    add("oldest-job", "oldest_age > 1h", "Jobs of a queue wait for long.", scope=QUEUE, severity=info, enabled=False)
    add(
        "throughput",
        "throughput < 0.1 * throughput_baseline and queue_depth > 0",
        "Little or nothing completes while jobs wait.",
        scope=QUEUE,
        severity=critical,
    )
    add("error-rate", "error_rate > 5%", "Runs fail.", scope=QUEUE)
    add("dead-letters", "dead_letters > 0", "Jobs failed for good.", scope=QUEUE)
    add("no-worker", "workers < 1 and queue_depth > 0", "Jobs wait and no worker lives.", severity=critical)
    add("lost-workers", "workers_in_time < 80%", "Workers were lost.", severity=critical)
    add(
        "run-time",
        "run_p99 > 2 * run_p99_baseline and run_p99 > 100ms",
        "A task runs for longer than it used to.",
        scope=TASK,
    )
    add("missed-fires", "missed_share > 1%", "Schedules miss their slots.", window="1h")
    add("refused-enqueues", "refused_enqueues > 0", "A queue is full, and jobs are refused.", scope=QUEUE)
    add("memory", "memory_share > 85% or evictions > 0", "Redis runs out of memory.", severity=critical)
    add("store-size", "store_size > 10GB", "The store grows.", severity=info, enabled=False)
    add("clock-skew", "clock_skew > 5s", "The clocks of a worker's host and of the store disagree.")
    return given
