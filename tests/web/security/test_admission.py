"""Who is admitted, by each way of showing who one is."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.manual_clock import manual_clock
from tests.web.security.requests import answer_of, bearer, request
from windlass import Windlass
from windlass.core.access.networks import networks
from windlass.web.problems import Problem
from windlass.web.security.proxy import TrustedProxy
from windlass.web.security.roles import Identity, Role
from windlass.web.security.security import Security
from windlass.web.security.sessions import COOKIE
from windlass.web.security.settings import SecuritySettings
from windlass.web.security.users import password_line, read_users

pytestmark = pytest.mark.asyncio

PASSWORD = "correct horse"
LOCAL = Identity("local", Role.ADMIN, via="local")


@pytest.fixture
def app() -> Iterator[Windlass]:
    with Windlass("sqlite:///:memory:", clock=manual_clock()) as app:
        app.migrate()
        yield app


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("users") / "users"
    lines = [
        "# people",
        "",
        *(password_line(name, name, PASSWORD, log2n=4) for name in ("viewer", "operator", "admin")),
    ]
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o600)
    return path


def basic(name: str, password: str = PASSWORD) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


async def test_without_anything_a_caller_is_refused_and_told_how(app: Windlass) -> None:
    """B21."""
    with pytest.raises(Problem) as caught:
        await Security(app, SecuritySettings()).admit(request(), Role.VIEWER)
    assert caught.value.status == 401
    assert caught.value.headers["WWW-Authenticate"].startswith("Bearer")


async def test_a_public_route_asks_nobody_for_anything(app: Windlass) -> None:
    found = await answer_of(Security(app, SecuritySettings()), request(headers=bearer("nonsense")), None)
    assert isinstance(found, Identity)
    assert found.name == "anonymous"


@pytest.mark.parametrize("role", Role)
async def test_a_token_is_its_name_and_role(app: Windlass, role: Role) -> None:
    """B21: tokens, with scopes."""
    queues = ["tts"] if role is Role.WORKER else None
    token = app.add_token("ci", role=role, queues=queues)
    found = await answer_of(Security(app, SecuritySettings()), request(headers=bearer(token.text)), role)
    assert found == Identity("ci", role, None if queues is None else frozenset(queues), via="token")
    assert app.tokens()[0].used_at is not None


@pytest.mark.parametrize(
    ("role", "needed", "is_enough"),
    [
        (role, needed, enough)
        for role, enoughs in {
            Role.VIEWER: (True, False, False, False),
            Role.OPERATOR: (True, True, False, True),
            Role.ADMIN: (True, True, True, True),
            Role.WORKER: (False, False, False, True),
        }.items()
        for needed, enough in zip((Role.VIEWER, Role.OPERATOR, Role.ADMIN, Role.WORKER), enoughs, strict=True)
    ],
)
async def test_a_role_is_enough_or_not(app: Windlass, role: Role, needed: Role, is_enough: bool) -> None:
    token = app.add_token("one", role=role, queues=["a"] if role is Role.WORKER else None)
    found = await answer_of(Security(app, SecuritySettings()), request(headers=bearer(token.text)), needed)
    assert (found != 403) is is_enough


async def test_a_revoked_and_an_expired_token_open_nothing_from_the_next_request_on(app: Windlass) -> None:
    """B21."""
    security = Security(app, SecuritySettings())
    short, long = app.add_token("short", expires="1h"), app.add_token("long")
    assert await answer_of(security, request(headers=bearer(short.text))) != 401
    assert app.client.clock is not None
    app.client.clock.advance(3_600_000)  # type: ignore[attr-defined]  # the manual clock
    assert await answer_of(security, request(headers=bearer(short.text))) == 401
    assert await answer_of(security, request(headers=bearer(long.text))) != 401
    app.revoke_token("long")
    assert await answer_of(security, request(headers=bearer(long.text))) == 401


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer wl_",
        "Bearer wl_" + "a" * 43,
        "Bearer " + "a" * 10_000,
        "Bearer é",
        "Digest x",
        "Basic x",
        "Basic dXNlcg==",
        "wl_" + "a" * 43,
    ],
)
async def test_wrong_credentials_are_401(app: Windlass, users: Path, value: str) -> None:
    app.add_token("ci")
    security = Security(app, SecuritySettings(users=read_users(users), is_open_to_loopback=True))
    assert await answer_of(security, request(headers={"Authorization": value})) == 401


async def test_a_token_counts_in_the_header_only_and_once(app: Windlass) -> None:
    """B21: never in the query, where logs have it."""
    token = app.add_token("ci").text
    one = request()
    one.scope["query_string"] = f"token={token}&access_token={token}".encode()
    security = Security(app, SecuritySettings())
    assert await answer_of(security, one) == 401
    assert await answer_of(security, request(headers=[("Authorization", f"Bearer {token}")] * 2)) == 401
    assert await answer_of(security, request(headers={"Cookie": f"{COOKIE}={token}"})) == 401


async def test_the_token_of_the_start_is_an_admin(app: Windlass) -> None:
    security = Security(app, SecuritySettings(start_token="a long enough token"))
    found = await answer_of(security, request(headers=bearer("a long enough token")), Role.ADMIN)
    assert found == Identity("start token", Role.ADMIN, via="token")
    assert await answer_of(security, request(headers=bearer("a long enough tokeN"))) == 401


async def test_guesses_are_bounded_and_hold_up_no_good_token(app: Windlass) -> None:
    """B21: ten wrong tokens a minute from one address."""
    security = Security(app, SecuritySettings(start_token="a long enough token"))
    good = app.add_token("ci").text
    assert await answer_of(security, request(headers=bearer(good))) != 401
    wrong = [await answer_of(security, request(headers=bearer(f"wl_{n:043}"))) for n in range(12)]
    assert wrong == [401] * 10 + [429] * 2
    assert isinstance(await answer_of(security, request(headers=bearer(good))), Identity)
    assert await answer_of(security, request(headers=bearer("wl_" + "x" * 43), client="10.0.0.9")) == 401
    with pytest.raises(Problem) as caught:
        await security.admit(request(headers=bearer("wl_" + "y" * 43)), Role.VIEWER)
    assert 1 <= int(caught.value.headers["Retry-After"]) <= 60


async def test_guesses_find_no_password_that_another_client_has_just_used(app: Windlass, users: Path) -> None:
    """B21: the right one is refused as any other guess; who had it right from there goes on."""
    security = Security(app, SecuritySettings(users=read_users(users)))
    far = {"client": "10.0.0.9", "scheme": "https"}
    assert isinstance(await answer_of(security, request(headers=basic("admin"), scheme="https")), Identity)
    guesses = [await answer_of(security, request(headers=basic("admin", f"wrong {n}"), **far)) for n in range(11)]
    assert guesses == [401] * 10 + [429]
    assert await answer_of(security, request(headers=basic("admin"), **far)) == 429
    assert isinstance(await answer_of(security, request(headers=basic("admin"), scheme="https")), Identity)


async def test_a_client_may_ask_only_so_often(app: Windlass) -> None:
    """B21: also for public routes, and of IPv6 by the network that a client has."""
    security = Security(app, SecuritySettings(requests_per_second=0.001, request_burst=3))
    answers = [await answer_of(security, request(client=f"2001:db8::{n}"), None) for n in range(4)]
    assert answers[3] == 429
    assert 429 not in answers[:3]
    assert await answer_of(security, request(client="2001:db8:0:1::1"), None) != 429


@pytest.mark.parametrize("name", ["viewer", "operator", "admin"])
async def test_a_user_has_the_role_of_the_password_file(app: Windlass, users: Path, name: str) -> None:
    security = Security(app, SecuritySettings(users=read_users(users)))
    assert await answer_of(security, request(headers=basic(name))) == Identity(name, Role(name), via="password")
    assert await answer_of(security, request(headers=basic(name, "wrong password"))) == 401
    assert await answer_of(security, request(headers=basic("unknown"))) == 401


async def test_passwords_travel_encrypted_or_not_at_all(app: Windlass, users: Path) -> None:
    """B21: Basic over TLS or loopback."""
    security = Security(app, SecuritySettings(users=read_users(users)))
    far = {"client": "10.0.0.9"}
    assert await answer_of(security, request(headers=basic("admin"), **far)) == 403
    assert await answer_of(security, request(headers=basic("admin"), scheme="https", **far)) != 403
    forwarded = basic("admin") | {"X-Forwarded-For": "10.0.0.9"}
    assert await answer_of(security, request(headers=forwarded)) == 403


async def test_guessed_passwords_are_bounded(app: Windlass, users: Path) -> None:
    security = Security(app, SecuritySettings(users=read_users(users)))
    answers = [await answer_of(security, request(headers=basic("admin", f"guess {n:04}"))) for n in range(12)]
    assert answers == [401] * 10 + [429] * 2
    assert await answer_of(security, request(headers=basic("admin"))) == 429, "an unknown client is one that guesses"


async def test_a_session_begins_with_a_password_and_ends(app: Windlass, users: Path) -> None:
    """B21: signed cookies; a change needs the session's token too."""
    security = Security(app, SecuritySettings(users=read_users(users)))
    _, cookie, identity = await security.log_in(request("POST"), "operator", PASSWORD)
    assert identity == Identity("operator", Role.OPERATOR, via="session")
    with_cookie = {"Cookie": f"{COOKIE}={cookie}"}
    assert await answer_of(security, request(headers=with_cookie)) == identity
    token = security.csrf_token(request(headers=with_cookie))
    assert token is not None
    assert await answer_of(security, request("POST", headers=with_cookie), Role.OPERATOR) == 403
    assert await answer_of(security, request("POST", headers=with_cookie | {"X-CSRF-Token": "é"}), Role.OPERATOR) == 403
    changing = with_cookie | {"X-CSRF-Token": token}
    assert await answer_of(security, request("POST", headers=changing), Role.OPERATOR) == identity
    other = changing | {"Origin": "https://evil.example"}
    assert await answer_of(security, request("POST", headers=other), Role.OPERATOR) == 403
    security.log_out(request("POST", headers=with_cookie))
    assert await answer_of(security, request(headers=with_cookie)) == 401


async def test_every_bit_of_a_cookie_counts(app: Windlass, users: Path) -> None:
    security = Security(app, SecuritySettings(users=read_users(users)))
    _, cookie, _ = await security.log_in(request("POST"), "viewer", PASSWORD)
    whole = base64.urlsafe_b64decode(cookie + "=" * (-len(cookie) % 4))
    for place in range(len(whole)):
        changed = bytes(byte ^ (place == at) for at, byte in enumerate(whole))
        text = base64.urlsafe_b64encode(changed).decode().rstrip("=")
        assert await answer_of(security, request(headers={"Cookie": f"{COOKIE}={text}"})) == 401
    for text in ("", "x", cookie[:-4], cookie * 50):
        assert await answer_of(security, request(headers={"Cookie": f"{COOKIE}={text}"})) == 401


async def test_a_new_password_ends_the_sessions_of_its_user(app: Windlass, users: Path, tmp_path: Path) -> None:
    security = Security(app, SecuritySettings(users=read_users(users)))
    _, cookie, _ = await security.log_in(request("POST"), "admin", PASSWORD)
    other = tmp_path / "users"
    other.write_text(password_line("admin", "admin", PASSWORD, log2n=4))
    with_cookie = request(headers={"Cookie": f"{COOKIE}={cookie}"})
    assert await answer_of(Security(app, SecuritySettings(users=read_users(users))), with_cookie) != 401
    assert await answer_of(Security(app, SecuritySettings(users=read_users(other))), with_cookie) == 401


PROXY = TrustedProxy(
    "X-User",
    networks(["10.0.0.5", "192.168.0.0/24"], "--proxy-from"),
    role=None,
    roles={"ada": Role.ADMIN, "@example.com": Role.VIEWER},
)


@pytest.mark.parametrize(
    ("client", "name", "role"),
    [
        ("10.0.0.5", "ada", Role.ADMIN),
        ("192.168.0.77", "bob@example.com", Role.VIEWER),
        ("::ffff:10.0.0.5", "ada", Role.ADMIN),
        ("10.0.0.6", "ada", None),
        ("127.0.0.1", "ada", None),
        (None, "ada", None),
        ("10.0.0.5", "ada ", None),
        ("10.0.0.5", "ADA", None),
        ("10.0.0.5", "bob@example.com.evil.com", None),
        ("10.0.0.5", "bob@evil.com@example.com", None),
        ("10.0.0.5", "@example.com", None),
        ("10.0.0.5", "bob@example.com\t", None),
        ("10.0.0.5", "", None),
    ],
)
async def test_a_proxy_names_callers_from_its_own_address_only(
    app: Windlass, client: str | None, name: str, role: Role | None
) -> None:
    """B21: listed addresses; names are compared whole."""
    security = Security(app, SecuritySettings(proxy=PROXY))
    found = await answer_of(security, request(client=client, headers={"X-User": name}))
    assert found == (401 if role is None else Identity(name, role, via="proxy"))


async def test_a_second_header_of_the_proxys_name_comes_from_the_client(app: Windlass) -> None:
    security = Security(app, SecuritySettings(proxy=PROXY))
    named = [("X-User", "ada"), ("X-User", "bob@example.com")]
    assert await answer_of(security, request(client="10.0.0.5", headers=named)) == 401


async def test_a_function_of_the_host_application_decides(app: Windlass) -> None:
    """B21: mounted; sync or async."""

    async def by_header(one: object) -> Identity | None:
        return Identity("ann", Role.OPERATOR, via="app")

    for authenticate in (lambda one: None, lambda one: Identity("ann", Role.OPERATOR, via="app"), by_header):
        security = Security(app, SecuritySettings(authenticate=authenticate))
        found = await answer_of(security, request(host="any.example"), Role.OPERATOR)
        assert found in (401, Identity("ann", Role.OPERATOR, via="app"))
    with pytest.raises(TypeError, match="Identity"):
        await Security(app, SecuritySettings(authenticate=lambda one: True)).admit(request(), Role.VIEWER)  # type: ignore[arg-type,return-value]


OPEN = SecuritySettings(is_open_to_loopback=True, hosts=frozenset())


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST."])
async def test_this_machine_needs_nothing(app: Windlass, host: str) -> None:
    """B21: loopback without authentication."""
    assert await answer_of(Security(app, OPEN), request(host=host), Role.ADMIN) == LOCAL
    assert await answer_of(Security(app, OPEN), request("POST", host=host), Role.ADMIN) == LOCAL


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"client": "10.0.0.9"}, 401),
        ({"client": None}, 401),
        ({"headers": {"X-Forwarded-For": "1.2.3.4"}}, 401),
        ({"headers": {"Forwarded": "for=1.2.3.4"}}, 401),
        ({"host": "evil.example"}, 421),
        ({"host": "localhost.evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "10.0.0.1"}, 421),
        ({"host": "localhost:8000:1"}, 421),
        ({"host": "local host"}, 421),
        ({"host": None}, 421),
        ({"headers": {"Sec-Fetch-Site": "cross-site"}}, 403),
        ({"headers": {"Sec-Fetch-Site": "same-site"}}, 403),
        ({"method": "POST", "headers": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}}, 403),
        ({"method": "POST", "headers": {"Origin": "https://evil.example"}}, 403),
        ({"method": "POST", "headers": {"Origin": "null"}}, 403),
        ({"method": "POST", "headers": {"Origin": "http://[evil"}}, 403),
        ({"method": "DELETE", "headers": {"Origin": "http://localhost:9000"}}, 403),
    ],
)
async def test_what_only_seems_to_come_from_this_machine_is_refused(
    app: Windlass, changes: dict[str, object], status: int
) -> None:
    """B21: proxies, DNS rebinding, pages of other sites."""
    assert await answer_of(Security(app, OPEN), request(**changes)) == status  # type: ignore[arg-type]


async def test_a_page_of_this_server_and_a_link_from_elsewhere_are_let_in(app: Windlass) -> None:
    own = {"Origin": "http://localhost:8000", "Sec-Fetch-Site": "same-origin"}
    assert await answer_of(Security(app, OPEN), request("POST", headers=own)) == LOCAL
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert await answer_of(Security(app, OPEN), request(headers=link)) == LOCAL


async def test_a_worker_on_this_machine_is_no_more_than_its_token(app: Windlass) -> None:
    token = app.add_token("w", role="worker", queues=["a"])
    assert await answer_of(Security(app, OPEN), request(headers=bearer(token.text))) == 403


async def test_the_names_of_a_server_are_listed_and_addresses_cannot_be_bent(app: Windlass) -> None:
    security = Security(app, SecuritySettings(hosts=frozenset({"jobs.example"})))
    for host, is_known in {
        "jobs.example:443": True,
        "JOBS.example": True,
        "10.0.0.1:8000": True,
        "evil": False,
    }.items():
        assert (await answer_of(security, request(host=host), None) != 421) is is_known


async def test_what_was_changed_is_recorded_without_secrets(app: Windlass) -> None:
    """B21: who, what, to how many."""
    security = Security(app, SecuritySettings())
    await security.changed(Identity("ci", Role.ADMIN, via="token"), "jobs.retry", "x?token=hunter22", 3)
    await security.changed(Identity("ci", Role.ADMIN, via="token"), "jobs.retry", "nothing", 0)
    [entry] = app.audit().entries
    assert (entry.who, entry.via, entry.action, entry.target, entry.count) == (
        "ci", "token", "jobs.retry", "x?token=••••", 3,
    )  # fmt: skip
