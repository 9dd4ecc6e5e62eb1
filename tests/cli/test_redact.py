"""Masking, without a process around it."""

from __future__ import annotations

import pytest

from windlass.cli.terminal.escape import escaped, escaped_line
from windlass.insight.redact import MASK, is_secret, redacted, redacted_arguments, redacted_text


@pytest.mark.parametrize(
    "name", ["password", "DB_PASSWORD", "clientSecret", "token", "api-key", "Authorization", "monkey"]
)
def test_a_key_that_contains_one_of_the_words_is_secret(name: str) -> None:
    """B21."""
    assert is_secret(name)
    assert redacted({name: ["anything"]}) == {name: MASK}


def test_what_is_not_secret_stays_as_it_is() -> None:
    value = {"user": "ann", "list": [1, None, {"a": True}], "password_": 1}
    assert redacted(value) == {"user": "ann", "list": [1, None, {"a": True}], "password_": MASK}
    assert value["password_"] == 1, "the value itself is not touched"


def test_tagged_forms_are_looked_into() -> None:
    """B21: a dataclass by its fields, a dict by its pairs, also where the keys are bytes."""
    login = {"$": "dataclass", "t": "Login", "v": {"user": "ann", "password": "x"}}
    assert redacted(login) == {"$": "dataclass", "t": "Login", "v": {"user": "ann", "password": MASK}}
    header = {"$": "bytes", "v": "YXV0aG9yaXphdGlvbg=="}
    pairs = {"$": "dict", "v": [[header, "Bearer x"], [1, {"token": "y"}], "damaged"]}
    assert redacted(pairs) == {"$": "dict", "v": [[header, MASK], [1, {"token": MASK}], "damaged"]}


def test_what_is_nested_without_end_is_masked() -> None:
    value: object = "deep"
    for _ in range(900):
        value = [value]
    assert MASK in str(redacted(value))
    assert "deep" not in str(redacted(value))


def test_arguments_are_masked_by_parameter_where_there_is_one() -> None:
    assert redacted_arguments(["ann", "x", {"token": 1}], ["user", "password"]) == ["ann", MASK, {"token": MASK}]


HOSTILE = {
    "Bearer hunter22": "Bearer ••••",
    "authorization: Basic dXNlcjpodW50ZXIyMg==": "authorization: Basic ••••",
    "wl_hunter22hunter22hunter22hunter22hunter22xyz": "wl_••••",
    "postgresql://me:hunter22@db/shop": "postgresql://me:••••@db/shop",
    "redis://:hunter22@h and https://a:p%40hunter22@b/c": "redis://:••••@h and https://a:••••@b/c",
    "/api/v1/jobs?token=hunter22&limit=5": "/api/v1/jobs?token=••••&limit=5",
    "{'db_password': 'hunter22', 'user': 'ann'}": "{'db_password': ••••, 'user': 'ann'}",
    '{"apiKey": "hunter22"}': '{"apiKey": ••••}',
    "password='two words hunter22' stays": "password=•••• stays",
    "PASSWORD=hunter22;SECRET=hunter22": "PASSWORD=••••;SECRET=••••",
    "Authorization: Token hunter22": "Authorization: Token ••••",
    "proxy-authorization: hunter22": "proxy-authorization: ••••",
    "Cookie: sid=hunter22; theme=hunter22": "Cookie: ••••",
    "Set-Cookie: windlass_session=hunter22; HttpOnly": "Set-Cookie: ••••",
    "X-Api-Key: hunter22": "X-Api-Key: ••••",
    "login failed, password: hunter22": "login failed, password: ••••",
    "host=db password = 'hunter22' dbname=x": "host=db password = •••• dbname=x",
    "db_password : hunter22": "db_password : ••••",
    '{"password": "a\\"hunter22"}': '{"password": ••••}',
    'cut off: {"secret": "hunter22 and': 'cut off: {"secret": ••••',
    "{'api_key': b'hunter22'}": "{'api_key': ••••}",
    "mysqldump --user me --password hunter22 shop": "mysqldump --user me --password •••• shop",
    "curl --api-key hunter22": "curl --api-key ••••",
    "eyJhbGciOiJIUzI1NiJ9.eyJodW50ZXIyMiI6MX0.hunter22_sig": "••••",
    "whsec_hunter22hunter22": "••••",
    "ghp_hunter22hunter22hunter22hunter22hunt": "••••",
    "xoxb-123456789012-hunter22": "••••",
    "sk_live_hunter22hunter22": "••••",
    "-----BEGIN RSA PRIVATE KEY-----\nhunter22\n-----END RSA PRIVATE KEY-----": "••••",
    "-----BEGIN PRIVATE KEY-----\nhunter22 (cut off": "••••",
    "PGPASSWORD=hunter22 psql -c 'select 1'": "PGPASSWORD=•••• psql -c 'select 1'",
    "KeyError: 'user'": "KeyError: 'user'",
    "unexpected token: next": "unexpected token: next",
    "queue name 'a b': use letters": "queue name 'a b': use letters",
    "concurrency key: use 1 to 256": "concurrency key: use 1 to 256",
    "https://example.org/a@b": "https://example.org/a@b",
}
"""Texts as errors, logs and targets have them, and what people may see."""


@pytest.mark.parametrize("text", HOSTILE)
def test_no_secret_is_left_in_texts_for_people(text: str) -> None:
    """B21."""
    assert redacted_text(text) == HOSTILE[text]
    assert "hunter22" not in redacted_text(f"{text}, {text}")
    assert "hunter22" not in str(redacted({"note": [text, {"text": text}]}))


def test_the_word_after_an_option_of_a_command_is_masked() -> None:
    """B21: as commands have them, a list."""
    command = ["tool", "--db-password", "hunter22", "--token=hunter22", "--user", "ann"]
    assert redacted(command) == ["tool", "--db-password", MASK, MASK, "--user", "ann"]


@pytest.mark.parametrize(
    "char",
    [
        "a",
        "-",
        "key",
        "key='",
        'key="\\',
        "://:",
        "bearer ",
        "wl_",
        "password:",
        "secret-",
        "--",
        "cookie:",
        "eyJa",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_a_long_text_without_spaces_takes_no_longer_than_another(char: str) -> None:
    """B21: a text is gone through once, whatever it is; by squares this one would take hours."""
    assert MASK in redacted_text(f"{char * 200_000} token=hunter22")


def test_text_is_made_visible_on_one_line_or_several() -> None:
    assert escaped("a\tb\n\x1b[2J\x9b\x00\u2066") == "a\tb\n\\x1b[2J\\x9b\\x00\\u2066"
    assert escaped_line("a\tb\r\nc\x0bd") == "a b c d"
    assert escaped("Grüße, 世界, 👩\u200d🚀") == "Grüße, 世界, 👩\u200d🚀", "what people write is left alone"
