"""What processes that tests start need, so that they do not spend most of their time compiling."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / ".pytest_cache" / "bytecode"


def compiling_once() -> dict[str, str]:
    """Our environment, but modules are compiled once, whatever the machine says."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(_FOLDER)}
