"""Find server programs on this machine or in the development dependencies."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.servers.account import Account


class ServerMissing(Exception):
    """There is no program for a server; the message says how to get one."""


def wheels_only() -> bool:
    """Whether the machine's own servers are to be passed over (``TEST_SERVERS=wheels``)."""
    return os.environ.get("TEST_SERVERS") == "wheels"


def runs(program: Path, account: Account) -> bool:
    """Whether the account can really execute a program: it may lie in a private folder, or miss a library."""
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            cwd="/",
            user=account.uid,
            group=account.uid,
            extra_groups=account.groups,
            timeout=30,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0


def on_path(*names: str) -> list[Path]:
    """The programs of these names on the ``PATH``, as they are called: some do other things under another name."""
    return [Path(found) for name in names if (found := shutil.which(name))]


def package_folder(name: str) -> Path | None:
    """Where an installed package lies, without importing it."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def copied(sources: Iterable[Path], folder: Path, account: Account) -> Path:
    """Copy parts of a package, side by side as they lay, to where the account can execute them."""
    target = folder / "programs"
    for source in sources:
        shutil.copytree(source, target / source.name, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
    account.own(target)
    return target
