"""What workers themselves found wrong about limits and keys, and put right: each of that is a defect."""

from __future__ import annotations

from pathlib import Path

from windlass import Windlass
from windlass.insight.notices import notices

_LET_GO = "that waited for a concurrency key although it was free"


def mended(app: Windlass, folder: Path) -> list[str]:
    """Counters that the store says were wrong, and jobs that were left waiting for a key, as the logs say."""
    counters = [notice.text for notice in app.client.session.run(notices()) if notice.kind == "miscounted"]
    lines = [line for path in sorted(folder.glob("*.log")) for line in path.read_text(errors="replace").splitlines()]
    return [*counters, *(line for line in lines if _LET_GO in line)]
