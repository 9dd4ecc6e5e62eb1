"""The name under which Windlass is installed: on PyPI the name of the import belongs to another project."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
SKIPPED = frozenset({".git", "__pycache__"})
OLD = re.compile(r"(?:pip install|uv add|uv pip install)[^\n]*\bwindlass(?!-jobs)\b|(?<![-\w.])windlass\[[a-z{]")
"""Commands and extras that would install the other project."""


def _texts() -> list[Path]:
    suffixes = {".md", ".py", ".toml", ".txt", ".sql", ".lua", ""}
    return [
        path
        for folder in ("src", "docs", "examples", "benchmarks", "scripts", "tests", ".ci")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in suffixes and SKIPPED.isdisjoint(path.parts) and path != Path(__file__)
    ] + [path for path in ROOT.iterdir() if path.is_file() and path.suffix in suffixes]


def test_the_distribution_has_a_name_of_its_own() -> None:
    """The import stays ``windlass``; what is installed is ``windlass-jobs``."""
    assert metadata("windlass-jobs")["Name"] == "windlass-jobs"


def test_no_text_tells_to_install_the_other_project() -> None:
    """Errors, documents and settings name ``windlass-jobs[extra]``."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in _texts()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if OLD.search(line)
    ]
    assert found == []
