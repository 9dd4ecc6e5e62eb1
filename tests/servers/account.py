"""Who a server runs as, and folders that this account can use.

PostgreSQL refuses to run as root, so as root we run every server as *nobody*.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NOBODY = 65534
LONGEST_FOLDER = 70
"""A Unix socket's whole path has room for about 100 bytes, its name in the folder takes up to 20."""


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a server process; ``None`` means ours."""

    uid: int | None = None

    @property
    def groups(self) -> list[int] | None:
        """The supplementary groups for ``subprocess``: none at all for another account."""
        return None if self.uid is None else []

    def own(self, folder: Path) -> None:
        """Hand a folder and all in it to the account."""
        if self.uid is not None:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def enters(self, folder: Path) -> bool:
        """Whether the account may reach the folder. Only the bits for others count for another account."""
        return self.uid is None or all(path.stat().st_mode & 0o001 for path in [folder, *folder.parents])


def server_account() -> Account:
    return Account(NOBODY) if os.geteuid() == 0 else Account()


@contextmanager
def server_folder(account: Account, parent: Path | None = None) -> Iterator[Path]:
    """A new folder that belongs to the account, with a path short enough for Unix sockets; removed afterwards.

    It lies in ``parent``, by default the usual folder for temporary files, or in ``/tmp`` where that does not do.
    """
    usual = (parent or Path(tempfile.gettempdir())).resolve()
    fits = len(str(usual)) <= LONGEST_FOLDER and account.enters(usual)
    folder = Path(tempfile.mkdtemp(prefix="windlass-", dir=usual if fits else "/tmp"))
    try:
        account.own(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
