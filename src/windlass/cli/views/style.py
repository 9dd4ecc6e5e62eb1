"""Colours of states."""

from __future__ import annotations

from windlass.cli.terminal.screen import Styled
from windlass.core.state import State

STATE_STYLES = {
    State.SCHEDULED: "blue",
    State.PENDING: "yellow",
    State.BLOCKED: "magenta",
    State.RUNNING: "cyan",
    State.RETRYING: "magenta",
    State.COMPLETED: "green",
    State.FAILED: "bold red",
    State.CANCELLED: "dim",
}


def state_cell(state: State) -> Styled:
    """The state in its colour."""
    return Styled(str(state), STATE_STYLES[state])


def count_cell(state: State, count: int) -> Styled:
    """How many jobs are in a state; zero is dimmed."""
    return Styled(f"{count:,}", STATE_STYLES[state] if count else "dim")
