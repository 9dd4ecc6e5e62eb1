"""Run a server for exactly as long as its owner lives. A script, started by ``running.py``.

``guard.py FOLDER UID STOP_SIGNAL COMMAND...``: the owner holds the other end of our standard input. When that closes,
for whatever reason (even SIGKILL, where no handler of the owner could run), or on SIGTERM, the server is stopped and
its folder removed. When the server ends by itself, so do we, and leave the folder with its log to the owner.
An empty UID means: as we run.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

PATIENCE_SECONDS = 10


def stop(server: subprocess.Popen[bytes], by: signal.Signals) -> None:
    server.send_signal(by)
    try:
        server.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def main(folder: Path, uid: int | None, by: signal.Signals, command: list[str]) -> None:
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())

    def await_owner() -> None:
        sys.stdin.buffer.read()
        over.set()

    def await_server() -> None:
        server.wait()
        over.set()

    with (folder / "log").open("ab") as log:
        server = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        )
    for wait in (await_owner, await_server):
        threading.Thread(target=wait, daemon=True).start()
    over.wait()
    if server.poll() is None:
        stop(server, by)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _, folder, uid, by, *command = sys.argv
    main(Path(folder), int(uid) if uid else None, signal.Signals(int(by)), command)
