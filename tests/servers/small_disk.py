"""A disk that a test can fill."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path, *, size: str) -> Iterator[Path]:
    """Puts a file system of this size (``1m``) at the folder; the test is skipped where we may not."""
    with mount(folder, size=size) as disk:
        if disk is None:
            pytest.skip("only root may mount a small file system")
        yield disk


@contextmanager
def mount(folder: Path, *, size: str) -> Iterator[Path | None]:
    """The same; None where we may not."""
    folder.mkdir(exist_ok=True)
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_up(folder: Path) -> Path:
    """Write until nothing more goes onto the disk; the file that takes the room."""
    ballast = folder / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return ballast
