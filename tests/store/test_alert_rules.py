"""alert rules: code brings them, operators change them, and what an operator says stays."""

from __future__ import annotations

from msgspec.structs import replace

from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.core.alerts.records import AlertRule
from windlass.core.alerts.rules import CODE, default_rules, new_rule
from windlass.store.operations.alerts.alerts import situation
from windlass.store.operations.alerts.rules import declare, delete, rules, save, silence
from windlass.store.operations.alerts.transfer import import_rules, operators_rules


def found(store: Store) -> list[AlertRule]:
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return store.run(rules())


def test_code_brings_rules_once(store: Store) -> None:
    store.run(declare(default_rules()))
    first = found(store)
    store.advance(5)
    store.run(declare(default_rules()))
    assert found(store) == first
    assert [rule.name for rule in first] == sorted(rule.name for rule in default_rules())
    assert {rule.revision for rule in first} == {1}
    wanted = {rule.name: rule for rule in default_rules()}
    assert [replace(rule, revision=0, changed_at=0) for rule in first] == [wanted[rule.name] for rule in first]


def test_a_rule_follows_the_code_until_an_operator_has_changed_it(store: Store) -> None:
    """B22: code only seeds; what operators change stays."""
    store.run(declare([new_rule("deep", "queue_depth > 10", origin=CODE)]))
    store.run(declare([new_rule("deep", "queue_depth > 20", origin=CODE)]))
    [rule] = found(store)
    assert (rule.expression, rule.revision, rule.is_edited) == ("queue_depth > 20", 2, False)
    saved = store.run(save(replace(rule, enabled=False)))
    assert saved is not None
    assert (saved.enabled, saved.is_edited, saved.revision, saved.origin) == (False, True, 3, CODE)
    store.run(declare([new_rule("deep", "queue_depth > 30", origin=CODE)]))
    assert found(store) == [saved]


def test_a_change_of_what_another_has_changed_is_refused(store: Store) -> None:
    rule = store.run(save(new_rule("deep", "queue_depth > 10")))
    assert rule is not None
    mine, theirs = replace(rule, severity="info"), replace(rule, severity="critical")
    assert store.run(save(theirs)) is not None
    assert store.run(save(mine)) is None
    assert [one.severity for one in found(store)] == ["critical"]


def test_a_repeated_save_finds_what_it_stored(store: Store) -> None:
    new = new_rule("deep", "queue_depth > 10", scope="queue:mail", channels=["log", "ops"], description='odd "é" \\')
    first = store.run(save(new))
    assert first is not None
    assert first == store.run(save(new))
    assert (first.channel_names, first.description, first.origin) == (["log", "ops"], 'odd "é" \\', "operator")
    change = replace(first, enabled=False)
    assert store.run(save(change)) == store.run(save(change))
    assert store.run(save(new_rule("deep", "queue_depth > 99"))) is None


def test_a_deleted_rule_does_not_come_back(store: Store) -> None:
    store.run(declare([new_rule("deep", "queue_depth > 10", origin=CODE)]))
    assert store.run(delete("deep"))
    assert not store.run(delete("deep"))
    store.run(declare([new_rule("deep", "queue_depth > 20", origin=CODE)]))
    assert found(store) == []
    again = store.run(save(new_rule("deep", "queue_depth > 30")))
    assert again is not None
    assert found(store) == [again]
    assert store.run(delete("nothing")) is False


def test_a_rule_of_an_operator_is_deleted_for_good(store: Store) -> None:
    store.run(save(new_rule("deep", "queue_depth > 10")))
    assert store.run(delete("deep"))
    assert found(store) == []
    assert store.run(rules("deep")) == []
    store.run(declare([new_rule("deep", "queue_depth > 20", origin=CODE)]))
    assert [rule.origin for rule in found(store)] == [CODE]


def test_there_is_a_bound(store: Store) -> None:
    assert store.run(save(new_rule("one", "workers < 1"), most=2))
    assert store.run(save(new_rule("two", "workers < 1"), most=2))
    assert store.run(save(new_rule("three", "workers < 1"), most=2)) is None
    [one, _] = sorted(found(store), key=lambda rule: rule.name)
    assert store.run(save(replace(one, enabled=False), most=2))


def silences(store: Store) -> list[tuple[int | None, str | None, str | None]]:
    """Of all rules, as both calls that read them see it."""
    read = [(rule.silenced_until, rule.silenced_by, rule.silenced_reason) for rule in found(store)]
    judged = store.run(situation(resolved_within=0)).rules
    assert [(rule.silenced_until, rule.silenced_by, rule.silenced_reason) for rule in judged] == read
    return read


def test_a_rule_is_silenced_for_a_time(store: Store) -> None:
    """B22: silence, with who and why, until when."""
    rule = store.run(save(new_rule("deep", "queue_depth > 10")))
    assert rule is not None
    silenced = store.run(silence("deep", length=1000, by="ada", reason='odd "é" \\'))
    until = store.clock() + 1000
    assert silenced == replace(rule, silenced_until=until, silenced_by="ada", silenced_reason='odd "é" \\')
    assert found(store) == [silenced]
    store.advance(400)
    again = store.run(silence("deep", length=1000, by="bob"))
    assert again == replace(rule, silenced_until=until + 400, silenced_by="bob"), "in the place of the first"
    store.advance(999)
    assert silences(store) == [(until + 400, "bob", None)]
    store.advance(1)
    assert silences(store) == [(None, None, None)], "over"
    assert store.run(silence("deep", length=None)) == rule
    assert store.run(silence("none", length=1000, by="ada")) is None


def test_a_silence_is_no_setting(store: Store) -> None:
    """What code and operators say changes, the silence stays; that of a deleted rule does not come back."""
    store.run(declare([new_rule("deep", "queue_depth > 10", origin=CODE)]))
    store.run(silence("deep", length=1000, by="ada", reason="why"))
    until = store.clock() + 1000
    store.run(declare([new_rule("deep", "queue_depth > 10", origin=CODE)]))
    assert [rule.revision for rule in found(store)] == [1], "its silence makes it no other"
    store.run(declare([new_rule("deep", "queue_depth > 20", origin=CODE)]))
    [rule] = found(store)
    assert (rule.expression, rule.is_edited) == ("queue_depth > 20", False)
    saved = store.run(save(replace(rule, severity="info", silenced_until=None)))
    assert saved is not None
    assert silences(store) == [(until, "ada", "why")]
    store.run(delete("deep"))
    assert store.run(silence("deep", length=1000, by="ada")) is None
    store.run(save(new_rule("deep", "queue_depth > 30")))
    assert silences(store) == [(None, None, None)]


def test_rules_of_another_store_replace_older_ones(store: Store) -> None:
    """A move: what code brought follows, what an operator has said here since stays."""
    store.run(declare([new_rule("deep", "queue_depth > 10", origin=CODE), new_rule("gone", "runs > 1", origin=CODE)]))
    mine = store.run(save(new_rule("mine", "runs > 2")))
    assert mine is not None
    past = mine.changed_at - 1
    deep = replace(
        new_rule("deep", "queue_depth > 99", origin=CODE), is_edited=True, changed_at=past, silenced_until=past + 9999
    )
    gone = replace(new_rule("gone", "runs > 1", origin=CODE), is_deleted=True, changed_at=past)
    older = replace(new_rule("mine", "runs > 3"), is_edited=True, changed_at=past)
    new = replace(new_rule("new", "runs > 4"), is_edited=True, changed_at=past)
    for _ in range(2):
        store.run(import_rules([deep, gone, older, new]))
        assert found(store) == [replace(deep, revision=2), mine, replace(new, revision=1)]
    store.run(declare([new_rule("deep", "queue_depth > 10", origin=CODE), new_rule("gone", "runs > 1", origin=CODE)]))
    assert [rule.name for rule in found(store)] == ["deep", "mine", "new"], "code does not bring it back"
    newer = replace(older, changed_at=mine.changed_at + 1)
    store.run(import_rules([newer]))
    assert [rule.expression for rule in found(store)] == ["queue_depth > 99", "runs > 3", "runs > 4"]
    assert {rule.name for rule in store.run(operators_rules())} == {"deep", "gone", "mine", "new"}
