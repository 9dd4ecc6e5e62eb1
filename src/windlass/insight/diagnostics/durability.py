"""What the store in use promises: what survives a kill, a crash of the server, a loss of power."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from windlass.insight.diagnostics.finding import Finding, Level

_KILL = "a returned enqueue survives the kill of any process"
_FULL = 0.85
"""The share of its memory from which on a Redis server is nearly full."""


def durability(facts: Mapping[str, str]) -> Iterator[Finding]:
    """The promise of the store, and what weakens it."""
    match facts.get("store"):
        case "sqlite":
            yield _sqlite(facts)
        case "postgresql":
            yield from _postgresql(facts)
        case _:
            yield from _redis(facts)


def _sqlite(facts: Mapping[str, str]) -> Finding:
    if facts.get("journal_mode") == "memory":
        text = "the store is in memory: everything is gone with its process"
        return _finding(Level.NOTE, text, "name a file in the store URL, sqlite:///jobs.db, to keep jobs")
    if facts.get("synchronous") in ("2", "3"):
        return _ok(f"{_KILL}, and a loss of power if the disk keeps what it says it has written (synchronous=FULL)")
    text = f"{_KILL}; a loss of power may lose the last commits (synchronous=NORMAL)"
    return _finding(Level.NOTE, text, "leave ?durability=normal out of the store URL if that must not be")


def _postgresql(facts: Mapping[str, str]) -> Iterator[Finding]:
    weak = False
    if facts.get("fsync") == "off":
        weak = True
        text = "fsync is off: a crash of the server's machine can destroy the whole database"
        yield _problem(text, "set fsync = on in postgresql.conf")
    if facts.get("full_page_writes") == "off":
        weak = True
        text = "full_page_writes is off: a loss of power can damage pages"
        yield _problem(text, "set full_page_writes = on, unless the file system rules torn pages out")
    if facts.get("synchronous_commit") == "off":
        weak = True
        text = f"{_KILL}; a crash of the server may lose what was acknowledged in its last second"
        yield _problem(text, "ALTER DATABASE ... SET synchronous_commit = on")
    if not weak:
        mode = facts.get("synchronous_commit", "on")
        yield _ok(f"{_KILL}, a crash of the server and a loss of power (fsync=on, synchronous_commit={mode})")


def _redis(facts: Mapping[str, str]) -> Iterator[Finding]:
    fsync = facts.get("appendfsync")
    if facts.get("aof_enabled") == "0":
        text = f"{_KILL} but that of the server, which keeps no append-only file: a restart loses jobs"
        yield _problem(text, "set appendonly yes on the server")
    elif facts.get("aof_last_write_status", "ok") != "ok":
        yield _problem("the server cannot write its append-only file", "look at the server's log and its disk")
    elif fsync == "no":
        text = f"{_KILL}; a loss of power may lose what the system has not written yet, half a minute or more"
        yield _problem(text, "set appendfsync everysec on the server")
    elif fsync == "always":
        yield _ok(f"{_KILL}, of the server too, and a loss of power (appendonly yes, appendfsync always)")
    else:
        yield _ok(f"{_KILL}; a crash of the server may lose about the last second ({_log_mode(fsync)})")
    yield from _memory(facts)


def _log_mode(fsync: str | None) -> str:
    return f"appendonly yes, appendfsync {fsync}" if fsync else "appendonly yes; appendfsync may not be read"


def _memory(facts: Mapping[str, str]) -> Iterator[Finding]:
    policy = facts.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        text = f"the server throws jobs away when its memory is full (maxmemory-policy {policy})"
        yield _problem(text, "set maxmemory-policy noeviction on the server")
    most, used = _number(facts.get("maxmemory")), _number(facts.get("used_memory"))
    if most and used > _FULL * most:
        text = f"{used / most:.0%} of the server's memory is used; enqueues are refused when it is full"
        yield _problem(text, "raise maxmemory, or keep finished jobs for a shorter time (retention)")


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() else 0


def _ok(text: str) -> Finding:
    return _finding(Level.OK, text, None)


def _problem(text: str, remedy: str) -> Finding:
    return _finding(Level.PROBLEM, text, remedy)


def _finding(level: Level, text: str, remedy: str | None) -> Finding:
    return Finding(level, "durability", text, remedy)
