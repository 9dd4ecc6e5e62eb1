"""Smooth weighted round robin: fair shares without bursts."""

from __future__ import annotations

from collections.abc import Collection, Mapping


class SmoothWeights:
    """Deals places to names in proportion to their weights, as evenly as they can be spread.

    >>> weights = SmoothWeights({"mail": 3, "default": 1})
    >>> weights.deal(8)
    {'mail': 6, 'default': 2}
    """

    def __init__(self, weights: Mapping[str, int]) -> None:
        self._weights = dict(weights)
        self._credit = dict.fromkeys(weights, 0)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._weights)

    def change(self, name: str, weight: int) -> None:
        """Give a name another weight from now on."""
        if name in self._weights:
            self._weights[name] = weight

    def deal(self, places: int, among: Collection[str] | None = None) -> dict[str, int]:
        """How many of ``places`` go to each name; names that get none are left out."""
        names = [name for name in self._weights if among is None or name in among]
        if len(names) == 1:
            return {names[0]: places} if places > 0 else {}
        dealt: dict[str, int] = {}
        total = sum(self._weights[name] for name in names)
        for _ in range(places if names else 0):
            for name in names:
                self._credit[name] += self._weights[name]
            best = max(names, key=self._credit.__getitem__)
            self._credit[best] -= total
            dealt[best] = dealt.get(best, 0) + 1
        return dealt
