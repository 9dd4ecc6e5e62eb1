"""``windlass web``: what is refused at the start, and ``windlass password``."""

from __future__ import annotations

import json
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from tests.cli.program import Program
from windlass.errors import ConfigError
from windlass.web.security.settings import SecuritySettings, check_start
from windlass.web.security.users import read_users

EVERYWHERE = "0.0.0.0"  # noqa: S104  # it is refused


def test_an_address_that_others_reach_needs_authentication(windlass: Program) -> None:
    """B21: exit code 2 and one line that says what to do."""
    windlass.app.enqueue("mail.welcome", 1)
    open_, short, half, missing = windlass.many(
        ["web", "--host", EVERYWHERE, "--port", "0"],
        ["web", "--token", "short"],
        ["web", "--proxy-header", "X-User"],
        ["web", "--password-file", "nowhere"],
    )
    assert open_.is_error(2, "--host 0.0.0.0", "windlass tokens add")
    assert short.is_error(2, "--token needs at least 16 characters")
    assert half.is_error(2, "--proxy-header and --proxy-from go together")
    assert missing.is_error(2, "nowhere", "cannot be read")


@pytest.mark.parametrize("given", [["--environment", "staging-2"], []])
def test_the_installation_is_named_on_every_page(windlass: Program, given: list[str]) -> None:
    """B20: by an option, or by the environment of the process."""
    windlass.app.enqueue("mail.welcome", 1)
    environment = {} if given else {"WINDLASS_ENVIRONMENT": "staging-2"}
    with windlass.start("web", "--port", "0", "--json", "--no-duties", *given, **environment) as web:
        address = urlsplit(json.loads(web.wait_for('"address"'))["address"])
        connection = HTTPConnection(address.hostname or "", address.port, timeout=30)
        connection.request("GET", "/workers")
        page = connection.getresponse().read().decode()
        connection.close()
    assert 'data-env="staging"' in page
    assert "staging-2" in page


@pytest.mark.parametrize("host", [EVERYWHERE, "::", "10.0.0.1", "jobs.example"])
def test_a_server_is_open_to_its_own_machine_or_to_known_callers(host: str) -> None:
    """B21."""
    bare, token = SecuritySettings(), SecuritySettings(start_token="a long enough token")
    with pytest.raises(ConfigError, match="tokens add"):
        check_start(host, bare, has_tokens=False)
    assert not check_start(host, bare, has_tokens=True).is_open_to_loopback
    assert not check_start(host, token, has_tokens=False).is_open_to_loopback
    for local in ("127.0.0.1", "::1", "localhost"):
        assert check_start(local, bare, has_tokens=True).is_open_to_loopback
        assert not check_start(local, token, has_tokens=False).is_open_to_loopback


def test_a_password_becomes_a_line_of_the_file(windlass: Program) -> None:
    """B21: the password is on no command line, and only its hash is stored."""
    answer = subprocess.run(
        [sys.executable, "-m", "windlass", "password", "ada", "--role", "admin"],
        cwd=windlass.folder,
        env=windlass.environment(),
        input="correct horse\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.startswith("ada:admin:scrypt$")
    assert "horse" not in answer.stdout + answer.stderr
    file = windlass.folder / "users"
    file.write_text("# people\n" + answer.stdout)
    [ada] = read_users(file).values()
    assert ada.has_password("correct horse")
    assert not ada.has_password("correct hors")
    assert "scrypt" not in repr(ada)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no users"),
        ("ada", "line 1"),
        ("ada:admin:secret", "line 1: not NAME:ROLE:HASH"),
        ("ada:god:x", "role must be"),
        ("ada:worker:x", "workers have tokens"),
        ("ada:admin:scrypt$40$8$1$AA$AA", "line 1"),
        ("a b:admin:x", "token name"),
    ],
)
def test_a_wrong_line_is_named_and_not_shown(windlass: Program, text: str, words: str) -> None:
    file = windlass.folder / "users"
    file.write_text(text)
    with pytest.raises(ConfigError, match=words) as caught:
        read_users(file)
    assert "secret" not in str(caught.value)


def test_a_file_that_everyone_can_write_to_is_refused(windlass: Program) -> None:
    file = windlass.folder / "users"
    file.write_text("ada:admin:x")
    file.chmod(0o666)
    with pytest.raises(ConfigError, match="chmod 600"):
        read_users(file)
