"""Real workers under a mix of faults, on each store; ``make torture`` runs the same for longer, with other seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torture.rack import Settings, run

SECONDS = 60.0
"""Long enough for each kind of fault to strike twice."""
SEED = 1


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("store", ["sqlite", "postgres", "redis"])
def test_a_mix_of_faults_breaks_no_promise(store: str, tmp_path: Path) -> None:
    """I1 to I18: at the end nothing is lost, stuck, run twice, charged wrongly, or held."""
    settings = Settings(store=store, seed=SEED, seconds=SECONDS, folder=tmp_path / "rack")
    report = run(settings)
    print(report)
    assert report.is_good, str(report)
    assert report.figures["runs"] != 0
