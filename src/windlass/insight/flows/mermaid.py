"""A graph as Mermaid text.

Names and ids come from users: every character that could mean something to Mermaid, or to the page that draws it, is
written as a number. Nodes have names of our own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windlass.core.state import State

_LONGEST = 60
"""Characters of a name that are shown."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")
_COLOURS = {
    State.SCHEDULED: "fill:#dbeafe,stroke:#2563eb,color:#111827",
    State.PENDING: "fill:#fef9c3,stroke:#a16207,color:#111827",
    State.BLOCKED: "fill:#f3e8ff,stroke:#7e22ce,color:#111827",
    State.RUNNING: "fill:#cffafe,stroke:#0e7490,color:#111827",
    State.RETRYING: "fill:#ffedd5,stroke:#c2410c,color:#111827",
    State.COMPLETED: "fill:#dcfce7,stroke:#15803d,color:#111827",
    State.FAILED: "fill:#fee2e2,stroke:#b91c1c,color:#111827",
    State.CANCELLED: "fill:#f3f4f6,stroke:#6b7280,color:#111827",
}


def mermaid_text(
    nodes: Sequence[tuple[str, str, State]], edges: Iterable[tuple[str, str]], *, left_out: int = 0
) -> str:
    """Nodes are given as id, name and state, edges as two ids.

    >>> print(mermaid_text([("a", "load", State.COMPLETED), ("b", "say", State.BLOCKED)], [("a", "b")]))
    flowchart TD
        n0["load<br/>a<br/>completed"]:::completed
        n1["say<br/>b<br/>blocked"]:::blocked
        n0 --> n1
        classDef blocked fill:#f3e8ff,stroke:#7e22ce,color:#111827
        classDef completed fill:#dcfce7,stroke:#15803d,color:#111827
    """
    names = {id: f"n{number}" for number, (id, _, _) in enumerate(nodes)}
    lines = [f'    {names[id]}["{_label(task)}<br/>{_label(id)}<br/>{state}"]:::{state}' for id, task, state in nodes]
    lines += [f"    {names[parent]} --> {names[child]}" for parent, child in edges]
    lines += [f"    more[/{left_out} more jobs/]"] if left_out else []
    used = {state for _, _, state in nodes}
    lines += [f"    classDef {state} {_COLOURS[state]}" for state in sorted(used)]
    return "\n".join(["flowchart TD", *lines])


def _label(text: str) -> str:
    """Text that Mermaid shows as it is.

    >>> _label('a"] --> b; click n0 "javascript:alert(1)"')
    'a#34;#93; --#62; b#59; click n0 #34;javascript#58;alert#40;1#41;#34;'
    >>> _label("<script>#lt;")
    '#60;script#62;#35;lt#59;'
    """
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return "".join(char if char in _PLAIN or _is_letter(char) else f"#{ord(char)};" for char in cut)


def _is_letter(char: str) -> bool:
    return ord(char) > 0x7F and char.isalnum()
