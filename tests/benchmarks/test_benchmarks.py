"""The harness of the benchmark, with numbers so small that they mean nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.command import main
from benchmarks.contender import Contender
from benchmarks.figures import percentile
from benchmarks.goals import GOALS
from benchmarks.peers import PEERS
from benchmarks.registry import MEASUREMENTS, selected
from benchmarks.report import Run, notes, peers_table
from benchmarks.results import Results
from benchmarks.rivals import RIVALS
from benchmarks.rounds import Rounds
from benchmarks.scale import SMOKE
from benchmarks.server import Server
from benchmarks.stores import STORES
from benchmarks.verdict import verdict

LINES = {line.key for measurement in MEASUREMENTS.values() for line in measurement.lines}


def test_a_drain_by_a_real_worker_process_gives_a_line_and_every_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"

    assert main(["--smoke", "--store", "sqlite", "--only", "drain-async", "--json", str(file)]) == 0

    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("async drain")]
    assert "30,000" in line
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert {result["contender"] for result in results} == {"sqlite-full", "sqlite-normal"}
    assert all(round["jobs_per_second"] > 0 for result in results for round in result["rounds"])
    assert list(tmp_path.iterdir()) == [file], "files of a round were left behind"


def test_a_round_that_fails_is_reported_and_ends_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    rounds = Rounds(folder=tmp_path, servers={"sqlite": Server()}, scale=SMOKE, rounds=1, tell=told.append)
    wrong = Contender(title="wrong", store="sqlite", variant="no-such-durability")

    rounds.run(MEASUREMENTS["enqueue-one"], [wrong], {})

    [failure] = rounds.results.failures
    assert "durability must be full or normal" in failure
    assert "FAILED" in told[0]


def test_a_server_that_is_gone_ends_nothing_either(tmp_path: Path) -> None:
    gone = Server("postgresql://postgres@127.0.0.1:1/postgres")
    rounds = Rounds(folder=tmp_path, servers={"postgres": gone}, scale=SMOKE, rounds=1, tell=lambda text: None)

    rounds.run(MEASUREMENTS["enqueue-one"], [Contender(title="ours", store="postgres", variant="synced")], {})

    [failure] = rounds.results.failures
    assert "Connection refused" in failure


def test_all_stores_are_measured_unless_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--smoke", "--only", "import-time"]) == 0

    shown = capsys.readouterr().out
    assert [f"Windlass on {store.title}" in shown for store in STORES.values()] == [True] * len(STORES)


def test_a_measurement_without_what_it_needs_fails_by_itself(tmp_path: Path) -> None:
    rounds = Rounds(folder=tmp_path, servers={"sqlite": Server()}, scale=SMOKE, rounds=1, tell=lambda text: None)

    rounds.run(MEASUREMENTS["sustained"], [Contender(title="full", store="sqlite", variant="full")], {})

    assert rounds.results.failures == ["sustained, sqlite-full: needs drain-async, which gave nothing"]


def test_a_selected_measurement_brings_what_it_needs_first() -> None:
    assert [measurement.name for measurement in selected(["sustained"])] == ["drain-async", "sustained"]
    assert [measurement.name for measurement in selected([])] == list(MEASUREMENTS)


def test_every_goal_belongs_to_a_line() -> None:
    assert set(GOALS) == set(STORES)
    for by_line in GOALS.values():
        assert set(by_line) <= LINES


def test_peers_measure_what_ours_are_compared_with() -> None:
    compared = {measurement.versus for measurement in MEASUREMENTS.values()}
    for peer in PEERS.values():
        assert set(peer.measures) <= compared


def test_every_peer_is_somebodys_rival() -> None:
    assert set(RIVALS) == set(STORES)
    for store, kinds in RIVALS.items():
        on_store = {peer.name for peer in PEERS.values() if peer.store == store}
        assert {peer for rivals in kinds for peer in rivals.peers} == on_store


def test_pgqueuer_and_the_others_are_goals_of_their_own() -> None:
    results = Results()
    ours = Contender(title="ours", store="postgres", variant="synced")
    rates = {"pgqueuer-10": 2_000.0, "pgqueuer-100": 8_000.0, "chancy": 1_000.0, "saq-postgres": 500.0}
    peers = [Contender(title=name, store="postgres", peer=name) for name in rates]
    results.add("drain-async", ours, {"jobs_per_second": 12_000.0})
    for peer in peers:
        results.add("drain", peer, {"jobs_per_second": rates[peer.key]})
    run = Run(store="postgres", measurements=[MEASUREMENTS["drain-async"]], ours=[ours], peers=peers, results=results)

    header, _, drained, *_ = peers_table(run).splitlines()

    assert header.endswith("ours / pgqueuer          wanted  ours / others        wanted")
    assert drained.endswith("1.50 ×  at least 1.3 ×        12.00 ×  at least 8 ×")


def test_the_notes_name_the_slowest_of_several_pages() -> None:
    results = Results()
    ours = Contender(title="full", store="sqlite", variant="full")
    for slow in (40.0, 60.0):
        results.add("web-pages", ours, {"few_ms": slow, "few_ms /jobs?state=failed": slow, "few_ms /queues": 3.0})
    run = Run(store="sqlite", measurements=[MEASUREMENTS["web-pages"]], ours=[ours], peers=[], results=results)

    told = notes({}, [], {}, [run])

    assert told == "sqlite, slowest page beside 10,000 jobs: /jobs?state=failed (50 ms)"


def test_a_percentile_is_a_sample() -> None:
    samples = list(range(1, 301))
    assert (percentile(samples, 0.5), percentile(samples, 0.99), percentile([7], 0.99)) == (150, 297, 7)
    with pytest.raises(ValueError, match="no samples"):
        percentile([], 0.5)


@pytest.mark.parametrize(
    ("value", "better", "said"),
    [
        (100.0, "more", "reached"),
        (99.9, "more", "99 % of goal"),
        (100.0, "less", "reached"),
        (200.0, "less", "50 % of goal"),
        (0.0, "less", "reached"),
    ],
)
def test_a_verdict_says_how_much_of_the_goal_was_reached(value: float, better: str, said: str) -> None:
    assert verdict(value, 100.0, "more" if better == "more" else "less") == said


def test_a_folder_that_is_missing_is_wrong_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WINDLASS_BENCH_DIR", str(tmp_path / "missing"))

    assert main(["--smoke", "--store", "sqlite", "--only", "import-time"]) == 2
