"""What the guides show at a prompt is what the program takes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from windlass.cli.main import program

_ROOT = Path(__file__).parents[2]
_PROMPT = "$ windlass "


def _shown() -> Iterator[tuple[str, str]]:
    """Every command at a prompt, and the page that it is on."""
    for page in [_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))]:
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(_PROMPT):
                yield page.name, line.removeprefix(_PROMPT)


@pytest.mark.parametrize(("page", "line"), list(_shown()), ids=lambda part: part[:40])
def test_a_command_in_a_guide_has_the_options_that_it_shows(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    for command, rest in _commands(program, words):
        known = {option for parameter in command.params for option in (*parameter.opts, "--help", "--version")}
        used = {word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"}
        assert used <= known, f"{page}: windlass {line}"


def _commands(command: click.Command, words: list[str]) -> Iterator[tuple[click.Command, list[str]]]:
    """The commands that a line names, of which there are several in ``list|show``, each with what follows it."""
    if not isinstance(command, click.Group) or not words or words[0].startswith("-"):
        yield command, words
        return
    for name in words[0].split("|"):
        assert name in command.commands, f"windlass has no command {name!r}"
        yield from _commands(command.commands[name], words[1:])
