"""What is written when a run has ended."""

from __future__ import annotations

from msgspec import Struct

from windlass.core.state import State


class Ending(Struct, frozen=True, array_like=True, gc=False):
    """One row of the ``finish`` part of a cycle; the position of each field is part of the statement's contract.

    The store writes it only while ``seq`` runs under ``fence``. A cancel request that came meanwhile turns every ending
    but ``completed`` into ``cancelled``: only the store has it in time.
    """

    seq: int
    fence: int
    state: State
    reason: str | None = None
    charge: int = 0
    """Added to ``attempt``: 1 for a run that counts, -1 for the refund of a charge made at the claim."""
    crash: int = 0
    rescue: int = 0
    delay: int | None = None
    """Milliseconds from the store's now until it is due again; None keeps ``run_at``."""
    ran_for: int | None = None
    """Milliseconds user code ran; None when it never started."""
    result: str | None = None
    errors: str | None = None
    """The whole new history, or None to keep the old one."""
    unique_key: str | None = None
    """The key the job may hold; the store releases it if the job is finished by this ending."""
    concurrency_key: str | None = None
    """The key that the run holds. The store knows it too; it is told so that locks are taken in order."""
    cause: str | None = None
    """The fingerprint of the error (``core/fault/cause.py``), of a job that is to run again or has failed for good. The
    store keeps that of the latter.
    """


def has_failed(ending: Ending) -> bool:
    """Whether the run ended with an error: it raised, took too long, or died with its process."""
    return ending.state is not State.COMPLETED and ending.errors is not None
