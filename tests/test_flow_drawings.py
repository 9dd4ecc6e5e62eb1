"""The drawings in the guide to flows are those that ``windlass flows show`` makes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windlass import Windlass
from windlass.cli.main import run

GUIDE = Path(__file__).parents[1] / "docs" / "flows.md"
BLOCKS = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_drawings_are_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """B36: the states at that place of the guide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WINDLASS_URL", raising=False)
    names: dict[str, object] = {"__name__": "__main__"}
    drawings = 0
    try:
        for kind, text in BLOCKS.findall(GUIDE.read_text(encoding="utf-8")):
            if kind == "python":
                exec(text, names)  # noqa: S102  # our own
                capsys.readouterr()
                continue
            command, _, expected = text.partition("\n")
            assert run([*command.removeprefix("$ windlass ").split(), "--url", "sqlite:///windlass.db"]) == 0
            assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == expected.splitlines()
            drawings += 1
    finally:
        for value in names.values():
            if isinstance(value, Windlass):
                value.close(wait=False)
    assert drawings == 3
