"""A file on a network file system is warned about."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from tests.places.place import SqlitePlace
from tests.store.stores import open_store
from windlass.store.sqlite.guards.network_mount import warn_of_network


def mounted(path: Path, kind: str) -> str:
    """What Linux tells when the file system of this path is of that kind."""
    device = os.stat(path).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    return (
        "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
        f"31 27 {number} / /mnt/jobs\\040here rw shared:1 - {kind} server:/jobs rw,vers=4\n"
        "32 27 0:99 / /mnt/other rw shared:2 - nfs server:/other rw\n"
    )


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "fuse.sshfs", "9p"])
def test_a_network_file_system_is_warned_about(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    """Q5: the warning names the file and its file system."""
    warn_of_network(str(tmp_path), mounted(tmp_path, kind))
    [told] = caplog.messages
    assert told.startswith(f"{tmp_path}: lies on a network file system ({kind})")


@pytest.mark.parametrize("kind", ["ext4", "fuse.mergerfs"])
def test_a_local_one_is_not(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    warn_of_network(str(tmp_path), mounted(tmp_path, kind))
    assert not caplog.messages


def test_a_system_that_cannot_tell_says_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    warn_of_network(str(tmp_path), "")
    assert not caplog.messages


def test_a_local_file_is_opened_without_a_word(place: SqlitePlace, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), open_store(place) as store:
        assert store.count() == 0
    assert not caplog.messages
