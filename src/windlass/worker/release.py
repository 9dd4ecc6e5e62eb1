"""Which code a worker runs, so that a deploy can be told from a restart."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from windlass.task import Task
from windlass.version import VERSION

_LONGEST = 40


def release_of(version: str, tasks: Iterable[Task[..., Any]]) -> str:
    """The version that the worker was given; without one, a fingerprint of the modules that declare its tasks.

    The fingerprint is the same wherever Python, Windlass and the text of these modules are the same. It does not see
    what these modules import: who wants every deploy to be told apart gives workers a version.
    """
    if version:
        return version[:_LONGEST]
    text = blake2b(f"{VERSION} {platform.python_version()}".encode(), digest_size=4)
    for name in sorted({task.function.__module__ for task in tasks}):
        text.update(f"\0{name}\0".encode())
        text.update(_source(name))
    return f"code {text.hexdigest()}"


def _source(module: str) -> bytes:
    """The text of a module; empty where it has no file, as what was typed at a prompt."""
    file = getattr(sys.modules.get(module), "__file__", None)
    try:
        return Path(file).read_bytes() if file else b""
    except OSError:
        return b""
