"""What is wrong with the settings of the process that asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from windlass.client.config import VARIABLES
from windlass.insight.diagnostics.finding import Finding, Level

_ALIKE = 0.85
"""How much a name has to be like another to be that one, misspelt; programs have variables of their own too."""


def configuration(names: Iterable[str]) -> Iterator[Finding]:
    """Variables of the environment that were most likely meant for Windlass, and that it does not read.

    >>> [found.text for found in configuration(["WINDLASS_URL", "WINDLASS_ULR", "WINDLASS_BACKUP_FOLDER"])]
    ['$WINDLASS_ULR means nothing, and is not read']
    """
    for name in sorted(names):
        if name.startswith("WINDLASS_") and name not in VARIABLES:
            for meant in get_close_matches(name, VARIABLES, n=1, cutoff=_ALIKE):
                text = f"${name} means nothing, and is not read"
                yield Finding(Level.PROBLEM, "configuration", text, f"if ${meant} is meant, set that one")
