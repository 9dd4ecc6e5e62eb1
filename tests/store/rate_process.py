"""A process that claims, completes and promotes jobs until the time is over, however many it gets.

Usage: python -m tests.store.rate_process URL NAMESPACE NAME MILLISECONDS
"""

from __future__ import annotations

import sys
from itertools import count

from windlass import clock
from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.outcome import Returned
from windlass.core.retry import Retry
from windlass.store.open import open_driver
from windlass.store.operation import drive
from windlass.store.operations.cycle import Claimant, cycle
from windlass.store.operations.jobs import promote
from windlass.store.operations.leases import WorkerReport, open_lease


def main(url: str, namespace: str, name: str, length: int) -> None:
    driver = open_driver(url, namespace=namespace, deadline=30.0)
    drive(open_lease(WorkerReport(name, name, "busy", "{}"), lease=f"lease-{name}", ttl=600_000), driver.execute)
    print("ready", flush=True)
    sys.stdin.readline()
    endings: list[Ending] = []
    end = clock.now() + length
    for turn in count():
        claimant = Claimant(name, f"lease-{name}", f"{name}-{turn}")
        requests = [("default", 5)] if clock.now() < end else []
        cycled = drive(cycle(claimant, endings=endings, requests=requests), driver.execute)
        drive(promote(), driver.execute)
        endings = [decide(job, Returned(None), retry=Retry()) for job in cycled.claimed]
        if not requests and not endings:
            break
    print("done", flush=True)
    driver.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
