"""Write the table of routes into docs/http-api.md, from ``windlass.web.table``.

With ``--check`` nothing is written; exit code 1 when the page is not up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from windlass.web.route import PREFIX, Route
from windlass.web.table import ROUTES

PAGE = Path(__file__).parents[1] / "docs" / "http-api.md"
BEGIN, END = "<!-- routes: written by scripts/routes.py -->\n", "<!-- end of routes -->\n"


def rows() -> Iterator[str]:
    """The table, topic by topic; paths without the beginning that all have."""
    for topic in dict.fromkeys(route.topic for route in ROUTES):
        yield f"\n### {topic}\n"
        yield "| route | who | what |\n|---|---|---|"
        yield from (_row(route) for route in ROUTES if route.topic == topic)


def _row(route: Route) -> str:
    path = route.path.removeprefix(PREFIX)
    query = [name for name in route.query.__struct_fields__ if name not in ("meta", "arg")]
    asked = f"`?{'&'.join(query)}` " if query else ""
    return f"| `{route.method} {path}` {asked}| {route.role or 'public'} | {route.summary} |"


def written(page: str) -> str:
    """The page with the table of now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{chr(10).join(rows())}\n\n{END}{after}"


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        return int(written(page) != page)
    PAGE.write_text(written(page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
