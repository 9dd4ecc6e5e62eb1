"""The plan of a run is a pure function of its seed."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.torture.plan import CALM_AT_START, KINDS, MOMENTARY, OF_STORE, OF_WEB, TIMES, Fault, Kind, plan

LEASE = 3.0


def planned(seed: int, *, seconds: float = 120.0, store: str = "postgres") -> list[Fault]:
    return plan(seed, seconds=seconds, kinds=sorted(KINDS[store]), lease=LEASE)


def test_the_same_seed_gives_the_same_faults() -> None:
    assert planned(7) == planned(7)
    assert planned(7) != planned(8)


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    short = planned(7, seconds=30)
    assert planned(7, seconds=300)[: len(short)] == short


@pytest.mark.parametrize("store", KINDS)
def test_every_kind_comes_in_each_round(store: str) -> None:
    times = {kind: TIMES.get(kind, 1) for kind in KINDS[store] - set(OF_WEB)}
    kinds = [fault.kind for fault in planned(7, store=store) if fault.kind not in OF_WEB][1:]
    assert Counter(kinds[: sum(times.values())]) == times


def test_each_run_begins_with_a_pause_that_has_the_time_to_itself() -> None:
    """Its stale writes are what fences are there for."""
    for seed in range(20):
        first, second = planned(seed)[:2]
        assert first.kind is Kind.PAUSE_WORKER
        assert second.at > first.at + first.length


def test_faults_come_in_order_after_a_calm_start_and_end_by_themselves_or_after_a_while() -> None:
    faults = planned(7)
    assert faults[0].at == CALM_AT_START
    assert [fault.at for fault in faults] == sorted(fault.at for fault in faults)
    assert all((fault.length == 0) == (fault.kind in MOMENTARY) for fault in faults)


def test_a_pause_outlasts_the_lease_and_an_open_transaction_the_deadline_of_a_call() -> None:
    faults = planned(7, seconds=600)
    assert min(fault.length for fault in faults if fault.kind is Kind.PAUSE_WORKER) > LEASE
    assert min(fault.length for fault in faults if fault.kind is Kind.OPEN_TRANSACTION) > 5


def test_the_store_is_spared_while_a_transaction_is_open_as_long_as_the_round_has_other_faults() -> None:
    each = len(KINDS["postgres"]) - len(OF_WEB) + sum(TIMES.values()) - len(TIMES)
    for seed in range(20):
        mixed = [fault for fault in planned(seed) if fault.kind not in OF_WEB][1:]
        rounds = [mixed[start : start + each] for start in range(0, len(mixed), each)]
        for round in rounds:
            opened = next((index for index, fault in enumerate(round) if fault.kind is Kind.OPEN_TRANSACTION), each)
            rest = [fault.kind in OF_STORE for fault in round[opened + 1 :]]
            assert not rest or not rest[0] or all(rest), seed


def test_kills_of_the_web_process_come_in_turn_and_move_no_other_fault() -> None:
    of_web = [fault.kind for fault in planned(7) if fault.kind in OF_WEB]
    assert of_web[:4] == [*OF_WEB, *OF_WEB]
    others = plan(7, seconds=120, kinds=sorted(KINDS["postgres"] - set(OF_WEB)), lease=LEASE)
    assert [fault for fault in planned(7) if fault.kind not in OF_WEB] == others
