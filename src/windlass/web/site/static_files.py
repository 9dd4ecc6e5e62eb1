"""Style sheets and scripts, by a name that changes with their content: a browser asks for each once."""

from __future__ import annotations

import gzip
from functools import cached_property
from hashlib import sha256
from importlib.resources import files

from starlette.responses import Response

from windlass.web.problems import not_found
from windlass.web.route import Call, Nothing

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_A_YEAR = "public, max-age=31536000, immutable"


class StaticFiles:
    """All of them, read once."""

    @cached_property
    def _by_name(self) -> dict[str, bytes]:
        folder = files("windlass.web.site").joinpath("static")
        return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.rpartition(".")[2] in _TYPES}

    @cached_property
    def _version(self) -> str:
        """The same for all of them: a script asks for others beside it, and has to get those that it was made for."""
        content = sha256()
        for name in sorted(self._by_name):
            content.update(self._by_name[name])
        return content.hexdigest()[:12]

    @cached_property
    def _compressed(self) -> dict[str, bytes]:
        return {name: gzip.compress(content, mtime=0) for name, content in self._by_name.items()}

    def path(self, name: str) -> str:
        """Where it is."""
        if name not in self._by_name:
            raise KeyError(name)
        return f"/static/{self._version}/{name}"

    def read(self, name: str) -> bytes | None:
        return self._by_name.get(name)

    def read_compressed(self, name: str) -> bytes:
        return self._compressed[name]


STATIC_FILES = StaticFiles()


async def static_file(call: Call[Nothing, None]) -> Response:
    """One file; whatever version was asked for, the one that is there now."""
    name = call.path["name"]
    content = STATIC_FILES.read(name)
    if content is None:
        raise not_found(f"there is no file {name}")
    headers = {"Cache-Control": _A_YEAR, "Vary": "Accept-Encoding"}
    if "gzip" in call.request.headers.get("accept-encoding", ""):
        content, headers = STATIC_FILES.read_compressed(name), headers | {"Content-Encoding": "gzip"}
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)
