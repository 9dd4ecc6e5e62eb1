"""Reads settings (argument, environment, ``[tool.windlass]``, default) and who changes something by hand."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from windlass.client.hints import nearest
from windlass.core.encryption.keys import split_keys
from windlass.errors import ConfigError
from windlass.store.open import DEFAULT_NAMESPACE

DEFAULT_URL = "sqlite:///windlass.db"

KEYS = "WINDLASS_ENCRYPTION_KEYS"
KEYS_FILE = "WINDLASS_ENCRYPTION_KEYS_FILE"

_KEYS = (
    "app",
    "concurrency",
    "dashboard_url",
    "environment",
    "log",
    "log_format",
    "log_jobs",
    "namespace",
    "password_file",
    "queues",
    "url",
    "worker_id",
    "worker_name",
    "worker_version",
)
"""What may stand in ``[tool.windlass]``; each is also a variable, as in ``$WINDLASS_URL``."""

VARIABLES = (*(f"WINDLASS_{key.upper()}" for key in _KEYS), "WINDLASS_TOKEN", KEYS, KEYS_FILE)
"""What is read of the environment, besides what channels of alerts need (``delivery/channels.py``)."""


def setting(name: str, given: str | None, default: str | None = None) -> str | None:
    """The value of one setting; ``name`` is ``url`` for ``$WINDLASS_URL`` and ``tool.windlass.url``."""
    if given is not None:
        return given
    from_environment = os.environ.get(f"WINDLASS_{name.upper()}")
    if from_environment is not None:
        return from_environment
    value = _from_pyproject(Path.cwd()).get(name, default)
    if type(value) is int:
        return str(value)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"pyproject.toml: tool.windlass.{name} must be a text, got {value!r}")
    return value


def chosen_url(given: str | None) -> str:
    """The address of the store; an empty one is ``ConfigError``."""
    url = setting("url", given, DEFAULT_URL)
    if not url:
        raise ConfigError(
            f"the store URL is empty{'' if given is not None else ' ($WINDLASS_URL or tool.windlass.url)'}; leave it "
            f"out for {DEFAULT_URL}, or give one such as postgresql://user@host/database"
        )
    return url


def chosen_namespace(given: str | None) -> str:
    """The schema, or the beginning of all keys."""
    return setting("namespace", None) or DEFAULT_NAMESPACE if given is None else given


def chosen_keys(given: Sequence[str] | None) -> Sequence[str] | None:
    """The encryption keys: given, in the environment, or in the file that it names; None without any.

    They never stand in ``pyproject.toml``, which is kept with the code.
    """
    if given is not None:
        return given
    if text := os.environ.get(KEYS):
        return split_keys(text)
    if path := os.environ.get(KEYS_FILE):
        try:
            return split_keys(Path(path).read_text(encoding="ascii"))
        except (OSError, UnicodeDecodeError) as error:
            why = "it is no text" if isinstance(error, UnicodeDecodeError) else error.strerror
            raise ConfigError(f"${KEYS_FILE}: {path} cannot be read: {why}") from None
    return None


@cache
def _from_pyproject(folder: Path) -> dict[str, object]:
    file = folder / "pyproject.toml"
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    import tomllib  # where there is no such file it is not needed

    try:
        table = tomllib.loads(text).get("tool", {}).get("windlass", {})
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: {error}") from error
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: [tool.windlass] must be a table")
    for key in table:
        if key not in _KEYS:
            raise ConfigError(f"{file}: [tool.windlass] has no setting {key!r}; {nearest(key, _KEYS)}")
    return table


def actor() -> str:
    """``user@host``; a container may run under a number that has no name.

    >>> "@" in actor()
    True
    """
    try:
        user = getpass.getuser()
    except (ImportError, KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
