"""The threads of one test: earlier tests may have left some behind, such as runs that were abandoned."""

from __future__ import annotations

from threading import enumerate as all_threads


class NewThreads:
    """Those that have begun since this was made."""

    def __init__(self) -> None:
        self._before = set(all_threads())

    def named(self, beginning: str) -> list[str]:
        """The names of those that live and are called so, or have a name that begins so."""
        found = (thread for thread in all_threads() if thread not in self._before)
        return [thread.name for thread in found if thread.name.startswith(beginning)]
