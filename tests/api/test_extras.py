"""Stores whose library is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("library", "url", "extra"),
    [
        ("psycopg", "postgresql://me:hush@nowhere/db", "postgres"),
        ("psycopg", "postgresql://me@nowhere/db?password=hush", "postgres"),
        ("redis", "redis://:hush@nowhere", "redis"),
        ("redis", "rediss://nowhere/0?ssl_password=hush", "redis"),
        ("redis", "redis://me:not/hush?encoded@hush@nowhere", "redis"),
    ],
)
def test_a_missing_extra_is_named(library: str, url: str, extra: str) -> None:
    """C1: the error says what to install, and no password."""
    program = f"import sys; sys.modules[{library!r}] = None; import windlass; windlass.Windlass({url!r}).counts()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("windlass.errors.ConfigError: ")
    assert f"pip install 'windlass-jobs[{extra}]'" in last
    assert "hush" not in done.stderr.replace(program, "")


def test_sqlite_needs_no_extra() -> None:
    """C1: neither library is even looked for."""
    program = (
        "import sys; sys.modules['psycopg'] = sys.modules['redis'] = None; import windlass; "
        "print(windlass.Windlass('sqlite:///:memory:').counts()['pending'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
