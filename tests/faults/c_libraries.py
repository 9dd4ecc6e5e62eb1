"""Small libraries in C that tests preload into the processes that they start."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


class CompilerMissing(Exception):
    """There is no C compiler; the message says how to get one."""


def build(source: Path, library: Path) -> None:
    """Build a library that can be preloaded."""
    compiler = _compiler()
    command = [*compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(source), "-ldl"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        raise CompilerMissing(
            f"{compiler[0]} cannot build {source.name}, which tests need (apt install gcc libc6-dev):\n{built.stderr}"
        )


def _compiler() -> list[str]:
    """The system's, or the one that `make test` installs where the system has none."""
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is not None:
        return [found]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise CompilerMissing(
        "no C compiler for the libraries that tests preload: pip install --group compiler, or apt install gcc libc6-dev"
    )
