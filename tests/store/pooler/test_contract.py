"""The calls that producers and workers live by, as in the contract of every store."""

from __future__ import annotations

from types import ModuleType

from tests.store import test_cancel, test_cycle, test_enqueue, test_finish, test_renew, test_rescue


def _tests(verb: ModuleType) -> dict[str, object]:
    """What a file of the contract tests, under names that no other file has."""
    prefix = verb.__name__.rsplit(".", 1)[1]
    found = {name.removeprefix("test_"): test for name, test in vars(verb).items() if name.startswith("test_")}
    return {f"{prefix}_{name}": test for name, test in found.items()}


for _verb in (test_cancel, test_cycle, test_enqueue, test_finish, test_renew, test_rescue):
    globals().update(_tests(_verb))
