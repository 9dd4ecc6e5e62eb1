"""The users of a password file, and their passwords as scrypt hashes.

A line for each user, ``NAME:ROLE:scrypt$LOG2N$R$P$SALT$HASH``; empty lines and comments (``#``) are
passed by. ``windlass password NAME`` writes such a line.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windlass import clock
from windlass.core.access.roles import Role, role_of
from windlass.core.validate import token_name
from windlass.errors import ConfigError

_LOG2N, _R, _P = 15, 8, 1
_MOST_MEMORY = 128 * 1024 * 1024
_LONGEST = 1024
"""Characters of a password."""


@dataclass(frozen=True, slots=True)
class User:
    """A person who logs in with a password."""

    name: str
    role: Role
    hash: str = field(repr=False)

    def has_password(self, password: str) -> bool:
        """Whether this is the password; takes some hundredths of a second, on purpose."""
        return len(password) <= _LONGEST and is_password(password, self.hash)


def password_line(name: str, role: str, password: str, *, log2n: int = _LOG2N) -> str:
    """The line of a password file for a user."""
    if not 8 <= len(password) <= _LONGEST:
        raise ConfigError(f"a password needs 8 to {_LONGEST} characters, got {len(password)}")
    if ":" in name:
        raise ConfigError(f"user name {name!r}: a password file cannot have ':' in a name")
    salt = clock.random_bits(128).to_bytes(16)
    derived = _derived(password, salt, log2n, _R, _P)
    hash = "$".join(["scrypt", str(log2n), str(_R), str(_P), _text(salt), _text(derived)])
    return f"{token_name(name)}:{_person(role)}:{hash}"


def read_users(path: Path) -> Mapping[str, User]:
    """The users of a password file; ``ConfigError`` names the line that is wrong, and shows no hash."""
    try:
        if path.stat().st_mode & stat.S_IWOTH:
            raise ConfigError(f"{path}: every user of this machine can write to it; run chmod 600 {path}")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: the password file cannot be read: {error}") from error
    users: dict[str, User] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            user = _user(line.strip(), f"{path}, line {number}")
            if user.name in users:
                raise ConfigError(f"{path}, line {number}: user {user.name!r} is there twice")
            users[user.name] = user
    if not users:
        raise ConfigError(f"{path}: no users in it; `windlass password NAME --role admin` writes a line for it")
    return users


def is_password(password: str, hash: str) -> bool:
    """Whether a hash is that of this password."""
    _, log2n, r, p, salt, derived = hash.split("$")
    found = _derived(password, _bytes(salt), int(log2n), int(r), int(p))
    return hmac.compare_digest(found, _bytes(derived))


def _user(line: str, where: str) -> User:
    name, _, rest = line.partition(":")
    role, _, hash = rest.partition(":")
    try:
        token_name(name)
        checked = _person(role)
        is_password("", hash)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    except (ValueError, MemoryError):
        raise ConfigError(f"{where}: not NAME:ROLE:HASH as `windlass password` writes it") from None
    return User(name, checked, hash)


def _person(role: str) -> Role:
    found = role_of(role)
    if found is Role.WORKER:
        raise ConfigError("workers have tokens, not passwords; see `windlass tokens add --role worker`")
    return found


def _derived(password: str, salt: bytes, log2n: int, r: int, p: int) -> bytes:
    if not (1 <= log2n <= 20 and 1 <= r <= 32 and 1 <= p <= 16):
        raise ValueError("parameters out of bounds")
    sent = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(sent, salt=salt, n=1 << log2n, r=r, p=p, maxmem=_MOST_MEMORY, dklen=32)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise ValueError("no base64") from None
