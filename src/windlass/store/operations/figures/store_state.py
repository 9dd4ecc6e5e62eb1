"""Size, memory and connections of the store itself."""

from __future__ import annotations

from windlass.store.operation import Call, Lane, Operation


def store_state() -> Operation[dict[str, float]]:
    """What the store says of itself, each where it has it: ``size`` in bytes (files, tables), ``memory`` and
    ``max_memory`` in bytes, ``connections``, and ``evictions`` since the server started.
    """
    answer = yield Call("store_state", {}, Lane.READ)
    return {name: float(value) for name, value in answer["state"] if value is not None}
