"""What a URL may say."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict

from windlass.errors import ConfigError
from windlass.store.postgres.address import Address, parse_address


def parsed(url: str) -> Address:
    return parse_address(url, deadline=5)


def libpq(url: str) -> dict[str, object]:
    """What libpq gets to see."""
    return dict(conninfo_to_dict(parsed(url).conninfo))


def test_options_of_ours_are_kept_from_libpq() -> None:
    url = "postgresql://me@db/app?pool=7&sslmode=require&prepare=off&news=listen&application_name=a%26b+c"
    address = parsed(url)
    assert (address.pool, address.prepare, address.news) == (7, False, "listen")
    said = libpq(url)
    assert said["sslmode"] == "require"
    assert said["application_name"] == "a&b+c"
    assert not {"pool", "prepare", "news"} & said.keys()


def test_a_worker_process_has_at_most_five_connections_by_default() -> None:
    """B26: those for calls, one for heartbeats, one for news."""
    assert parsed("postgresql://db/app").pool + 2 == 5


def test_statements_are_prepared_and_news_listened_for_by_default() -> None:
    address = parsed("postgresql://db/app")
    assert address.prepare
    assert address.news == "auto"


def test_without_prepared_statements_a_pooler_is_assumed_that_has_no_news() -> None:
    assert parsed("postgresql://db/app?prepare=off").news == "poll"


@pytest.mark.parametrize("option", ["pool=0", "pool=-1", "pool=many", "pool=", "prepare=no", "news=loud"])
def test_a_value_that_makes_no_sense_is_named(option: str) -> None:
    name, _, value = option.partition("=")
    with pytest.raises(ConfigError, match=f"{name} must be .*got '{value}'"):
        parsed(f"postgresql://db/app?{option}")


def test_a_value_that_makes_no_sense_is_told_with_the_url() -> None:
    for option in ("pool=many", "prepare=no"):
        with pytest.raises(ConfigError, match=r"^store URL 'postgresql://me@db/app': "):
            parsed(f"postgresql://me:s3cret@db/app?{option}")


def test_an_option_that_nobody_knows_is_named_with_the_url() -> None:
    with pytest.raises(ConfigError) as caught:
        parsed("postgresql://me:s3cret@db/app?sslmode=require&pools=3")
    assert str(caught.value).startswith("store URL 'postgresql://me@db/app': unknown option 'pools'; known are pool, ")


def test_an_option_without_a_value_is_named() -> None:
    with pytest.raises(ConfigError, match="option 'sslmode' has no value"):
        parsed("postgresql://db/app?sslmode")


@pytest.mark.parametrize("password", ["s3?cret", "s3?cr=et", "s3?cr&et", "s3?cr%zzet"])
def test_a_password_that_looks_like_options_is_not_repeated(password: str) -> None:
    try:
        said = parsed(f"postgresql://me:{password}@db/app?pools=3").name
    except ConfigError as refused:
        said = str(refused)
    assert "s3" not in said
    assert "cr" not in said


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://me:s3cret@db.example:5433/app?pool=9", "postgresql://me@db.example:5433/app"),
        ("postgres://me:s3cret@one:1,two:2/app", "postgresql://me@one:1,two:2/app"),
        (
            "postgresql:///app?host=/var/run/postgresql&user=me&password=s3cret",
            "postgresql://me@/var/run/postgresql/app",
        ),
        ("postgresql://%2Frun%2Fpg/app", "postgresql:///run/pg/app"),
    ],
)
def test_a_name_for_people_has_no_password(url: str, name: str) -> None:
    assert parsed(url).name == name


def test_a_url_that_cannot_be_read_is_not_repeated() -> None:
    """The part that is not understood may be the password."""
    with pytest.raises(ConfigError) as caught:
        parsed("postgresql://me:pass%zzword@db/app")
    assert "zzword" not in str(caught.value)


def test_what_the_url_says_goes_before_our_defaults() -> None:
    said = libpq("postgresql://one,two/app?target_session_attrs=read-write&keepalives_idle=77")
    assert said["target_session_attrs"] == "read-write"
    assert said["host"] == "one,two"
    assert said["keepalives_idle"] == "77"
