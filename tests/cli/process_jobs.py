"""The jobs of tests that watch one worker process take the place of another."""

JOBS = """
import asyncio
import os
import uuid
from pathlib import Path

from windlass import Windlass

app = Windlass()
life = uuid.uuid4().hex


@app.task(name="life")
def live() -> tuple[int, str]:
    return os.getpid(), life


@app.task(name="wander")
def wander() -> None:
    os.chdir("/")


@app.task(name="listen")
def listen(pipe: str) -> str:
    print("listening", flush=True)
    return Path(pipe).read_text() + life


@app.task(name="forever")
async def forever() -> None:
    print("forever", flush=True)
    await asyncio.Event().wait()
"""
