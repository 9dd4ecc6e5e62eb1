"""The names of the tasks in ``programs/tasks.py`` and the like, for tests that do not import them."""

from __future__ import annotations

_MODULE = "tests.faults.programs.tasks"

HOLD = f"{_MODULE}.hold"
AHOLD = f"{_MODULE}.ahold"
BLOCK_A_THREAD = f"{_MODULE}.block_a_thread"
POISON = f"{_MODULE}.poison"
SUDDEN_POISON = f"{_MODULE}.sudden_poison"
VENOM = f"{_MODULE}.venom"
NATIVE_VENOM = f"{_MODULE}.native_venom"
LOOP_VENOM = f"{_MODULE}.loop_venom"
NAP = f"{_MODULE}.nap"
LOOP_NAP = f"{_MODULE}.loop_nap"
NOTE = f"{_MODULE}.note"
RECORD = f"{_MODULE}.record"
GATHER = f"{_MODULE}.gather"
HOLD_THE_INTERPRETER = f"{_MODULE}.hold_the_interpreter"
STEPPING = f"{_MODULE}.stepping"
DEAF = f"{_MODULE}.deaf"

MARKER = "the-one-of-the-rivals"
"""The unique key or id in every request of ``programs/rival.py``."""
