"""Rates of tasks: how many of their jobs with the same key begin in which time.

Claims take the tokens and block the jobs for which there is none; promote lets these go when there is one. Here is what
is declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from windlass.core.rates.rate import Rate
from windlass.store.operation import Call, Operation


def declare_rates(rates: Mapping[str, Rate], *, without: Iterable[str] = ()) -> Operation[None]:
    """Say what the rate of each task is, as the code has it, and which tasks have none.

    A bucket keeps its whole tokens, as far as a new burst has room for them. Jobs that wait for a rate that has
    changed, or is gone, are looked at by the next promote. Repeating it changes nothing.
    """
    limits = [(task, rate.amount, rate.period, rate.burst) for task, rate in sorted(rates.items())]
    yield Call("rate_limits_declare", {"limits": limits, "without": [(task,) for task in sorted(without)]})
