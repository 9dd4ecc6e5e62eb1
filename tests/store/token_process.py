"""A process that takes tokens of the limit ``github`` until the time is over, and says when it took each.

Usage: python -m tests.store.token_process URL NAMESPACE MILLISECONDS
"""

from __future__ import annotations

import sys

from windlass import clock
from windlass.store.open import open_driver
from windlass.store.operation import drive
from windlass.store.operations.rates.limits import take


def main(url: str, namespace: str, length: int) -> None:
    driver = open_driver(url, namespace=namespace, deadline=30.0)
    print("ready", flush=True)
    sys.stdin.readline()
    taken, end = [], clock.now() + length
    while (before := clock.now()) < end:
        found = drive(take("github"), driver.execute)
        assert found is not None
        if found.is_taken:
            taken.append(f"{before}-{clock.now()}")
    print(*taken, flush=True)
    driver.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
