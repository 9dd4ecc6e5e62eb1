"""The worker of ``isolated.py`` on the CPU of the hogs, behind them: ``python -m ... starved '{"lease": "1s"}'``."""

from __future__ import annotations

import os
import sys

from tests.faults.busy_cpu import move_to_one_cpu, stand_back

if __name__ == "__main__":
    move_to_one_cpu()
    stand_back()
    # In place of this process, so that every thread and child of the worker has it from its beginning.
    os.execv(sys.executable, [sys.executable, "-m", "tests.faults.programs.isolated", *sys.argv[1:]])  # noqa: S606
