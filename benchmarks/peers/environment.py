"""The environment of the peers: made on demand, so that they never enter our dependencies."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.channel import ROOT

FOLDER = ROOT / ".venv-peers"
_VERSIONS = (
    "import importlib.metadata, json, platform, sqlite3, sys;"
    "found = {name: importlib.metadata.version(name) for name in sys.argv[1:]};"
    "print(json.dumps({**found, 'python': platform.python_version(), 'sqlite3': sqlite3.sqlite_version}))"
)


class NoPeers(Exception):
    """The peers were asked for and cannot be had."""


def prepare(
    packages: Sequence[str], *, tell: Callable[[str], None], folder: Path = FOLDER
) -> tuple[str, dict[str, str]]:
    """Have these packages installed; the interpreter to use, and the versions of all that matters."""
    python = folder / "bin" / "python"
    versions = _versions(python, packages)
    if versions is None:
        tell(f"installing {', '.join(packages)} into {folder}")
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(python), "-m", "pip", "install", "--quiet", *packages])
        versions = _versions(python, packages)
    if versions is None:
        raise NoPeers(f"{', '.join(packages)} were installed into {folder} and still cannot be found there")
    return str(python), versions


def _versions(python: Path, packages: Sequence[str]) -> dict[str, str] | None:
    """What the environment holds; None if it does not hold all, or is of another Python than ours."""
    if not python.exists():
        return None
    asked = subprocess.run([str(python), "-c", _VERSIONS, *packages], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        return None
    versions: dict[str, str] = json.loads(asked.stdout)
    ours = ".".join(map(str, sys.version_info[:3]))
    return versions if versions["python"] == ours else None


def _run(command: list[str]) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        why = (ended.stderr.strip() or ended.stdout.strip()).splitlines()
        raise NoPeers(f"{' '.join(command)} failed: {why[-1] if why else ended.returncode}")
