"""Check that the links between our Markdown files resolve: the file exists, and so does the heading.

Looks at the Markdown files of the top folder and of docs/. Links to other sites are not followed. Exit code 1 and one
line per broken link when there are any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
ANCHOR = re.compile(r"""<a\s+(?:id|name)=["']([^"']+)["']""")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'(][^)]*)?\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?")
OTHER_SITE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a document that are not inside a fenced block of code."""
    fence = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        opening = FENCE.match(line)
        if fence:
            if opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif opening:
            fence = opening[1]
        else:
            yield number, line


def slug(heading: str) -> str:
    """The anchor that code hosts give to a heading: lower case, no punctuation, hyphens for spaces."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


@cache
def anchors(path: Path) -> frozenset[str]:
    """Every anchor of a document; a repeated heading gets -1, -2 and so on."""
    found: set[str] = set()
    seen: dict[str, int] = {}
    for _, line in prose(path):
        found.update(ANCHOR.findall(line))
        if heading := HEADING.match(line):
            name = slug(heading[1])
            count = seen.get(name, 0)
            found.add(f"{name}-{count}" if count else name)
            seen[name] = count + 1
    return frozenset(found)


def links(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered targets of a document's links into our own files."""
    for number, line in prose(path):
        text = INLINE_CODE.sub("", line)
        for target in [*LINK.findall(text), *REFERENCE.findall(text)]:
            if not OTHER_SITE.match(target):
                yield number, target


def problem(document: Path, target: str) -> str | None:
    """Why a link does not resolve; ``None`` when it does."""
    name, _, anchor = unquote(target).partition("#")
    path = (document.parent / name).resolve() if name else document
    if not path.exists():
        return "no such file"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return "no such heading"
    return None


def main(root: Path) -> int:
    documents = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")])
    broken = [
        f"{document.relative_to(root)}:{number}: {target}: {why}"
        for document in documents
        for number, target in links(document)
        if (why := problem(document, target))
    ]
    print("\n".join([*broken, f"{len(documents)} documents, {len(broken)} broken links"]))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
