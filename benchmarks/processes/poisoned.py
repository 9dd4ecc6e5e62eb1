"""An app for ``windlass worker -A benchmarks.processes.poisoned``: jobs that take a while, and one kind that kills."""

from __future__ import annotations

import asyncio
import os

from windlass import Windlass

app = Windlass(os.environ["WINDLASS_URL"], namespace=os.environ["WINDLASS_NAMESPACE"])


@app.task(name="bench.innocent")
async def innocent() -> None:
    await asyncio.sleep(0.1)


@app.task(name="bench.poison")
def poison() -> None:
    os._exit(1)
