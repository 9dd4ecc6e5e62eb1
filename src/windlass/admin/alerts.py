"""The operator's methods for alerts: look, acknowledge, resolve, change and silence rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from msgspec.structs import replace

from windlass.admin.channel_tests import ChannelTest, try_channels
from windlass.client.client import Client
from windlass.client.owner import ClientOwner
from windlass.core.alerts.records import AlertRule, DeliveryState
from windlass.core.alerts.rules import CODE, MOST_RULES, checked, new_rule, rule_name, stored_channels
from windlass.core.alerts.silence import silence_length
from windlass.core.units import milliseconds
from windlass.delivery.channel import Channel
from windlass.errors import ConfigError, Duration, IllegalTransition
from windlass.insight import reads
from windlass.store.operation import Operation
from windlass.store.operations.alerts import alerts, rules
from windlass.threads.in_thread import in_thread

if TYPE_CHECKING:
    from windlass.insight.alerts.views import AlertPage, AlertRuleView, AlertView, DeliveryView


class RuleOptions(TypedDict, total=False):
    """What a rule says besides its name and its expression."""

    scope: str
    """``all``, ``queue`` or ``task`` for each by itself, ``queue:mail`` for one."""
    window: Duration
    severity: str
    cool_down: Duration
    enabled: bool
    channels: Sequence[str]
    """Names of channels; none stands for all that take its severity."""
    description: str


class RuleChanges(RuleOptions, total=False):
    """What is to be changed of a rule."""

    expression: str


class AlertFilterOptions(TypedDict, total=False):
    """Which alerts are wanted."""

    state: str | Sequence[str] | None
    severity: str | None
    rule: str | None
    acknowledged: bool | None
    """Of those that are open: True for those that a person has seen."""
    since: datetime | None


class Alerts:
    """Alerts and their rules.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> app.alerts.add_rule("mail-is-slow", "oldest_age > 10m", scope="queue:mail", severity="critical").enabled
    True
    >>> app.alerts.edit_rule("mail-is-slow", enabled=False).enabled
    False
    >>> app.alerts.list().alerts
    []
    >>> app.close()
    """

    def __init__(self, app: ClientOwner) -> None:
        self._app = app

    @property
    def _client(self) -> Client:
        """That of the app at this moment: a handle that was made before a test block acts in the block."""
        return self._app.client

    def list(self, *, limit: int = 50, cursor: str | None = None, **filter: Unpack[AlertFilterOptions]) -> AlertPage:
        """A page of alerts, the newest first; ``cursor`` takes the ``next`` of the page before.

        The newest 10,000 are kept, for 90 days after they were resolved.
        """
        return self._client.session.run(reads.alert_page(reads.alert_filter(**filter), limit=limit, cursor=cursor))

    async def alist(
        self, *, limit: int = 50, cursor: str | None = None, **filter: Unpack[AlertFilterOptions]
    ) -> AlertPage:
        """``list`` for async code."""
        return await self._client.session.arun(
            reads.alert_page(reads.alert_filter(**filter), limit=limit, cursor=cursor)
        )

    def get(self, id: str) -> AlertView:
        """The alert with this id, or the only one whose id begins so; ``ConfigError`` where there is none."""
        return self._client.session.run(reads.find_alert(id))

    async def aget(self, id: str) -> AlertView:
        """``get`` for async code."""
        return await self._client.session.arun(reads.find_alert(id))

    def firing(self) -> dict[str, int]:
        """How many alerts fire and were not acknowledged, by severity, the most urgent first."""
        return self._client.session.run(reads.firing_counts())

    async def afiring(self) -> dict[str, int]:
        """``firing`` for async code."""
        return await self._client.session.arun(reads.firing_counts())

    def acknowledge(self, id: str, *, by: str = "api") -> AlertView:
        """Say that a person looks after it; ``IllegalTransition`` where it is resolved. A repeat changes nothing."""
        return self._client.session.run(_acknowledge(id, by=by))

    async def aacknowledge(self, id: str, *, by: str = "api") -> AlertView:
        """``acknowledge`` for async code."""
        return await self._client.session.arun(_acknowledge(id, by=by))

    def resolve(self, id: str, *, by: str = "api") -> AlertView:
        """Resolve it by hand. If its rule still holds after its cool-down, the rule fires again."""
        return self._client.session.run(_resolve(self._client, id, by=by))

    async def aresolve(self, id: str, *, by: str = "api") -> AlertView:
        """``resolve`` for async code."""
        return await self._client.session.arun(_resolve(self._client, id, by=by))

    def declare_rule(self, name: str, expression: str, **options: Unpack[RuleOptions]) -> None:
        """Declare a rule in code: the process that leads stores it. It follows the code until an operator changes it.

        Nothing is opened for that.
        """
        rule = new_rule(name, expression, origin=CODE, **options)
        known = self._client.alert_rules.setdefault(name, rule)
        if known != rule:
            raise ConfigError(f"alert rule {name!r} is declared twice, with different settings")
        if len(self._client.alert_rules) > MOST_RULES // 2:
            raise ConfigError(f"code may declare {MOST_RULES // 2} alert rules")

    def rules(self) -> Sequence[AlertRuleView]:
        """All rules by name. The default ones are there once a process with duties has led."""
        return self._client.session.run(reads.rule_views())

    async def arules(self) -> Sequence[AlertRuleView]:
        """``rules`` for async code."""
        return await self._client.session.arun(reads.rule_views())

    def rule(self, name: str) -> AlertRuleView:
        """The rule of this name; ``ConfigError`` where there is none."""
        return self._client.session.run(_view(name))

    async def arule(self, name: str) -> AlertRuleView:
        """``rule`` for async code."""
        return await self._client.session.arun(_view(name))

    def add_rule(self, name: str, expression: str, **options: Unpack[RuleOptions]) -> AlertRuleView:
        """Add a rule; ``ConfigError`` where there is another of this name."""
        return self._client.session.run(_add(new_rule(name, expression, **options)))

    async def aadd_rule(self, name: str, expression: str, **options: Unpack[RuleOptions]) -> AlertRuleView:
        """``add_rule`` for async code."""
        return await self._client.session.arun(_add(new_rule(name, expression, **options)))

    def edit_rule(self, name: str, *, revision: int | None = None, **changes: Unpack[RuleChanges]) -> AlertRuleView:
        """Change what is named of a rule; from then on code does not change it.

        With ``revision``, that of a rule that was read, it is ``IllegalTransition`` when it was changed since.
        """
        return self._client.session.run(_edit(name, revision, changes))

    async def aedit_rule(
        self, name: str, *, revision: int | None = None, **changes: Unpack[RuleChanges]
    ) -> AlertRuleView:
        """``edit_rule`` for async code."""
        return await self._client.session.arun(_edit(name, revision, changes))

    def silence_rule(self, name: str, duration: Duration, *, reason: str = "", by: str = "api") -> AlertRuleView:
        """Deliver nothing of a rule for a time, at most 30 days; it fires, and its alerts are recorded, as before.

        Alerts that still fire when the time has passed are delivered then. A second silence takes the place of the
        first.

        >>> from windlass import Windlass
        >>> with Windlass("sqlite:///:memory:") as app:
        ...     _ = app.alerts.add_rule("deep", "queue_depth > 1000")
        ...     rule = app.alerts.silence_rule("deep", "2h", reason="the importer runs", by="ada")
        ...     app.alerts.unsilence_rule("deep").silenced_until
        >>> rule.silenced_by, rule.silenced_reason
        ('ada', 'the importer runs')
        """
        return self._client.session.run(_silence(name, silence_length(duration, reason), by=by, reason=reason))

    async def asilence_rule(self, name: str, duration: Duration, *, reason: str = "", by: str = "api") -> AlertRuleView:
        """``silence_rule`` for async code."""
        length = silence_length(duration, reason)
        return await self._client.session.arun(_silence(name, length, by=by, reason=reason))

    def unsilence_rule(self, name: str) -> AlertRuleView:
        """End the silence of a rule; alerts that still fire are delivered. One that is not silenced stays as it is."""
        return self._client.session.run(_silence(name, None))

    async def aunsilence_rule(self, name: str) -> AlertRuleView:
        """``unsilence_rule`` for async code."""
        return await self._client.session.arun(_silence(name, None))

    def delete_rule(self, name: str) -> bool:
        """Delete a rule; False when there is none. One that code declares does not come back by that."""
        return self._client.session.run(_delete(name))

    async def adelete_rule(self, name: str) -> bool:
        """``delete_rule`` for async code."""
        return await self._client.session.arun(_delete(name))

    def deliveries(self, *, failed: bool = False, limit: int = 50, cursor: int | None = None) -> Sequence[DeliveryView]:
        """What was, or is to be, delivered of alerts, the newest first; with ``failed`` only what was given up.

        ``cursor`` takes the number of the last one of the page before.
        """
        return self._client.session.run(reads.delivery_views(_states(failed), limit=limit, cursor=cursor))

    async def adeliveries(
        self, *, failed: bool = False, limit: int = 50, cursor: int | None = None
    ) -> Sequence[DeliveryView]:
        """``deliveries`` for async code."""
        return await self._client.session.arun(reads.delivery_views(_states(failed), limit=limit, cursor=cursor))

    def channels(self) -> Sequence[Channel]:
        """Those by which alerts are delivered."""
        return [*self._client.channels]

    def test(self, channel: str | None = None) -> Sequence[ChannelTest]:
        """Send a test message by one channel, or by all, from this process and once; the store is not touched. It takes
        20 seconds at the most.

        >>> from windlass import Windlass
        >>> with Windlass("sqlite:///:memory:") as app:
        ...     [test] = app.alerts.test()
        >>> test.channel, test.is_delivered
        ('log', True)
        """
        return try_channels(self._client, channel)

    async def atest(self, channel: str | None = None) -> Sequence[ChannelTest]:
        """``test`` for async code."""
        return await in_thread(self.test, channel)


def _states(failed: bool) -> list[DeliveryState]:
    return [DeliveryState.FAILED] if failed else []


def _acknowledge(id: str, *, by: str) -> Operation[AlertView]:
    alert = yield from reads.find_alert(id)
    yield from alerts.acknowledge(alert.id, by=by)
    found = yield from reads.find_alert(alert.id)
    if found.acknowledged_at is None:
        raise IllegalTransition(f"alert {found.id} is {found.state}, and cannot be acknowledged any more")
    return found


def _resolve(client: Client, id: str, *, by: str) -> Operation[AlertView]:
    alert = yield from reads.find_alert(id)
    rule = yield from rules.rules(alert.rule)
    chosen = rule[0].channel_names if rule else []
    channels = client.channels.names_for(chosen, severity=alert.severity.value, kind="resolved")
    if alert.silenced_until is not None or (rule and rule[0].silenced_until is not None):
        channels = []
    yield from alerts.resolve(alert.id, by=by, channels=channels)
    return (yield from reads.find_alert(alert.id))


def _find(name: str) -> Operation[AlertRule]:
    found = yield from rules.rules(rule_name(name))
    if not found:
        raise ConfigError(f"no alert rule is called {name!r}")
    return found[0]


def _view(name: str) -> Operation[AlertRuleView]:
    return reads.rule_view((yield from _find(name)))


def _add(rule: AlertRule) -> Operation[AlertRuleView]:
    saved = yield from rules.save(rule)
    if saved is not None:
        return reads.rule_view(saved)
    if (yield from rules.rules(rule.name)):
        raise ConfigError(f"there is an alert rule {rule.name!r} already; edit it, or choose another name")
    raise ConfigError(f"there are {MOST_RULES} alert rules, and no more are kept; delete some")


def _edit(name: str, revision: int | None, changes: RuleChanges) -> Operation[AlertRuleView]:
    if not changes:
        raise ConfigError(f"alert rule {name!r}: nothing to change")
    rule = yield from _find(name)
    changed = checked(_changed(rule, changes))
    if revision is not None and rule.revision != revision:
        raise IllegalTransition(f"alert rule {name!r} was changed meanwhile; read it again")
    saved = yield from rules.save(changed)
    if saved is None:
        raise IllegalTransition(f"alert rule {name!r} was changed meanwhile; read it again")
    return reads.rule_view(saved)


def _changed(rule: AlertRule, changes: RuleChanges) -> AlertRule:
    given: dict[str, object] = dict(changes)
    if "window" in changes:
        given["window_length"] = milliseconds(changes["window"], "window")
        del given["window"]
    if "cool_down" in changes:
        given["cool_down"] = milliseconds(changes["cool_down"], "cool_down")
    if "channels" in changes:
        given["channels"] = stored_channels(changes["channels"])
    unknown = given.keys() - set(AlertRule.__struct_fields__[1:9])
    if unknown:
        raise ConfigError(f"alert rule {rule.name!r}: {', '.join(sorted(unknown))} is no setting of a rule")
    return replace(rule, **given)


def _silence(name: str, length: int | None, *, by: str | None = None, reason: str = "") -> Operation[AlertRuleView]:
    yield from _find(name)  # read only: a search in the wrong place must not make a store
    found = yield from rules.silence(name, length=length, by=by, reason=reason or None)
    if found is None:
        raise ConfigError(f"no alert rule is called {name!r}")
    return reads.rule_view(found)


def _delete(name: str) -> Operation[bool]:
    if not (yield from rules.rules(rule_name(name))):  # read only: a search in the wrong place must not make a store
        return False
    return (yield from rules.delete(name))
