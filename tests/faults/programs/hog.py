"""Wants all of one CPU, before others; ends by itself after a minute."""

from __future__ import annotations

from time import monotonic

from tests.faults.busy_cpu import move_to_one_cpu, push_ahead

LONGEST = 60.0

if __name__ == "__main__":
    move_to_one_cpu()
    push_ahead()
    until = monotonic() + LONGEST
    while monotonic() < until:
        pass
