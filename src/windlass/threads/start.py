"""Starts a thread; a refusal of the system loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

from windlass.errors import StartRefused
from windlass.threads.log_relay import relay


def start_thread(target: Callable[..., None], *args: Any, name: str, runs_user_code: bool = False) -> Thread:
    """Start a daemon thread; ``StartRefused`` when the system refuses it, and then nothing of it is left.

    Add the thread to lists only after this call: one that never started must not be listed. A thread that does not run
    user code does not wait for log handlers either.
    """
    work = (target, *args) if runs_user_code else (_on_duty, target, *args)
    thread = Thread(target=work[0], args=work[1:], name=name, daemon=True)
    try:
        thread.start()
    except (RuntimeError, MemoryError) as error:
        raise StartRefused(f"the system refuses a thread ({error}); look at its limits") from error
    return thread


def _on_duty(target: Callable[..., None], *args: Any) -> None:
    relay.take_over()
    target(*args)
