"""Compiling each module once: processes that tests start would spend most of their time on it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / ".pytest_cache" / "bytecode"


def compile_once() -> None:
    """Keep what is compiled, here and in all processes that are started from here, whatever the machine says."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(_FOLDER)
    sys.dont_write_bytecode = False
