"""A process that locks a file until its input ends.

Usage: python -m tests.store.sqlite.locking_process PATH writing | new | alone | repairing
"""

from __future__ import annotations

import fcntl
import sys

import apsw

RECOVER_LOCK = 122
"""The byte of the log's index that a connection locks while it repairs the index."""


def repair(path: str) -> None:
    """Damage the index, as a writer that is killed at the wrong moment does, and be about to repair it."""
    with open(f"{path}-shm", "r+b") as index:
        fcntl.lockf(index, fcntl.LOCK_EX, 1, RECOVER_LOCK)
        index.write(bytes(16))
        index.flush()
        print("locked", flush=True)
        sys.stdin.read()


def main(path: str, how: str) -> None:
    if how == "repairing":
        repair(path)
        return
    connection = apsw.Connection(path)
    if how == "alone":
        # In WAL mode only this keeps readers out, as recovery and the last connection's clean-up do for a moment.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN IMMEDIATE" if how == "writing" else "BEGIN EXCLUSIVE")
    if how == "alone":
        connection.execute("COMMIT")
    print("locked", flush=True)
    sys.stdin.read()
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
