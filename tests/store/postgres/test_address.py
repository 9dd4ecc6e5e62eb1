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


def test_tcp_is_more_patient_than_a_call() -> None:
    """A call knows what it has sent; of a connection that TCP broke it knows less."""
    assert int(str(libpq("postgresql://db/app")["tcp_user_timeout"])) > 5000 + 1000


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


@pytest.mark.parametrize("password", ["s3/cret", "s3@cret", "12/cret", "1@s3/cret", "s3:cr@et", "@s3cret"])
def test_a_password_with_an_at_or_a_slash_is_refused_unshown(password: str) -> None:
    """libpq would take what is behind them for a host, a port or a database."""
    with pytest.raises(ConfigError, match="percent-encode") as caught:
        parsed(f"postgresql://me:{password}@db/app?pool=3")
    assert "s3" not in str(caught.value)
    assert "cr" not in str(caught.value)


def test_a_password_that_is_percent_encoded_may_have_both() -> None:
    url = "postgresql://me:s%2F3%40@db/app?host=/run/pg"
    assert libpq(url)["password"] == "s/3@"
    assert "3" not in parsed(url).name


@pytest.mark.parametrize("place", ["db:s3cret", "db:0", "db:65536", "one:1,two:s3cret", "db:%D9%A3", "s3:s3?port=x"])
@pytest.mark.parametrize("query", ["", "pools=3"])
def test_a_port_that_is_none_is_refused_and_not_shown(place: str, query: str) -> None:
    """It may be a password whose host was forgotten."""
    with pytest.raises(ConfigError, match="port that is no number from 1 to 65535") as caught:
        parsed(f"postgresql://{place}{'&' if '?' in place else '?'}{query}")
    assert "s3" not in str(caught.value)


def test_a_port_may_be_left_out_for_some_hosts() -> None:
    assert libpq("postgresql://one:1,two/app")["port"] == "1,"


@pytest.mark.parametrize("option", ["pool", "prepare", "news", "sslmode"])
def test_an_option_that_is_given_twice_is_named(option: str) -> None:
    values = {"pool": "3", "prepare": "on", "news": "poll", "sslmode": "require"}
    with pytest.raises(ConfigError, match=f"^store URL 'postgresql://me@db/app': option '{option}' is given 2 times"):
        parsed(f"postgresql://me:s3cret@db/app?{option}={values[option]}&user=me&{option}={values[option]}")


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
