"""Who acts, for the record."""

from __future__ import annotations

import getpass
import os
import socket


def actor() -> str:
    """``user@host``; a container may run under a number that has no name.

    >>> "@" in actor()
    True
    """
    try:
        user = getpass.getuser()
    except (ImportError, KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
