"""Warns of a file on a network file system.

The log's index is memory that processes share, which they can on one machine only, and many network file systems do not
keep the locks. One machine alone may get along with it, so it is not refused.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

log = logging.getLogger("windlass.store")

_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "ocfs2", "sshfs"}


def warn_of_network(path: str, mounts: str | None = None) -> None:
    """Say so if the file is on another machine. ``mounts`` is what the system says of them; only Linux does."""
    kind = _kind(path, _mounts() if mounts is None else mounts)
    if kind.removeprefix("fuse.") in _NETWORK:
        log.warning(
            "%s: lies on a network file system (%s), where SQLite can lose or damage jobs; move it to a local disk, or "
            "use PostgreSQL or Redis. At the very least, let no other machine open it",
            path,
            kind,
        )


def _mounts() -> str:
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _kind(path: str, mounts: str) -> str:
    """The name of its file system; empty where it is unknown."""
    if not mounts:
        return ""
    try:
        device = os.stat(path).st_dev
    except OSError:  # deleted meanwhile; the next call reports that
        return ""
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        mount, _, what = line.partition(" - ")
        if wanted in mount.split(" ")[2:3]:
            return what.split(" ")[0]
    return ""
