"""Every bug that the rack is to find can still be planted: what it replaces is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.torture.fleet import ROOT
from tests.torture.mutants import MUTANTS

_PLANT = """
import os, sys
import windlass.worker.build
from tests.torture.mutants import plant
from windlass.store import statement_files
from windlass.store.redis import scripts

for name in sys.argv[1:]:
    if (child := os.fork()) == 0:
        try:
            plant(name)
            statement_files.load_calls("windlass.store.sqlite", prefix="torture_")
            statement_files.load_calls("windlass.store.postgres", prefix="torture.")
            scripts.load_scripts()
        except LookupError as error:
            print(name, error, flush=True)
            os._exit(1)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_every_mutant_finds_what_it_replaces() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PLANT, *MUTANTS], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert done.stdout == ""


def test_the_documents_say_of_every_mutant_what_found_it() -> None:
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    said = {row[0]: row[1].lower().replace("postgresql", "postgres").split(", ") for row in rows if len(row) == 4}
    for name, mutant in MUTANTS.items():
        assert mutant.store in said[name.removesuffix(" on PostgreSQL").removesuffix(" on Redis")], name
