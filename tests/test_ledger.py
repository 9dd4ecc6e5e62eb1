"""The committed ledger says what the tests prove."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_ledger_is_up_to_date() -> None:
    check = [sys.executable, str(ROOT / "scripts" / "ledger.py"), "--check"]
    ran = subprocess.run(check, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
