"""Scripts name the fields of rows and replies; the text that the server gets has their positions."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest

from windlass.core.records import Claimed, JobRecord
from windlass.store.redis.scripts import load_scripts
from windlass.store.redis.templates import fill
from windlass.store.templates import UnknownName


def filled(text: str) -> str:
    return fill(text, file="calls/some.lua").splitlines()[-1]


def test_a_reply_is_read_by_the_fields_that_were_asked_for() -> None:
    assert filled("local job = try('HMGET', key, {job: id, state}) or {} print(job.state, job.id)") == (
        "local job = try('HMGET', key, 'id', 'state') or {} print(job[2], job[1])"
    )


def test_a_row_of_a_parameter_has_the_fields_of_the_heading() -> None:
    heading = "-- asks completed: rows (seq, fence,\n--      ran_for) as run, which is most of them\n"

    assert filled(heading + "write(run.ran_for - run.seq)") == "write(run[3] - run[1])"


def test_a_struct_stands_for_its_fields_in_a_heading() -> None:
    heading = "-- asks marks: rows (StartMark, why) as mark\n"

    assert filled(heading + "mark.ago, mark.why = mark.seq, 1") == "mark[3], mark[4] = mark[1], 1"


def test_several_variables_may_have_the_same_fields() -> None:
    assert filled("-- rows (id, at) as one/other\nreturn one.at < other.at") == "return one[2] < other[2]"


def test_names_may_be_kept_beside_the_list() -> None:
    text = "-- rows (seq, id; turn) as row\nlocal row = {row; seq = 1; id = 'a'; turn = 7} row.turn = row.seq"

    assert filled(text) == "local row = {1, 'a', turn = 7} row.turn = row[1]"


def test_a_row_is_made_in_the_order_of_its_fields() -> None:
    assert filled("{StartMark; ago = now - 1; seq = tonumber(seq); fence = fence}") == "{tonumber(seq), fence, now - 1}"


def test_what_has_a_default_may_be_left_out() -> None:
    assert filled("{Ending; seq = 1; fence = 2; state = 'failed'; charge = 1}") == "{1, 2, 'failed', nil, 1}"


def test_a_row_keeps_its_lines_and_loses_its_comments() -> None:
    text = "rows[1] = {\n    StartMark; seq = 1; -- the first\n    fence = 2;\n    ago = 3;\n}"

    assert fill(text, file="calls/some.lua") == "rows[1] = {1,\n    2,\n    3}"


def test_a_struct_in_braces_is_the_list_of_its_fields() -> None:
    assert filled("local COLUMNS = {{JobRecord}}") == (
        "local COLUMNS = {" + ", ".join(f"'{name}'" for name in JobRecord.__struct_fields__) + "}"
    )
    assert filled("for column = 1, {#JobRecord} do") == f"for column = 1, {len(JobRecord.__struct_fields__)} do"


def test_a_field_of_a_struct_in_braces_is_its_position() -> None:
    position = Claimed.__struct_fields__.index("payload") + 1

    assert filled("{row, {Claimed.payload}, key}") == f"{{row, {position}, key}}"


def test_what_every_script_is_given_has_names() -> None:
    assert filled("ARGV.now .. ARGV.prefix .. ARGV.epoch .. ARGV.params") == "ARGV[1] .. ARGV[2] .. ARGV[3] .. ARGV[4]"


def test_the_tables_texts_and_comments_of_lua_stay_as_they_are() -> None:
    text = "\n".join(
        (
            "-- rows (id) as job",
            "-- job.id, {Nothing}, {job: id}",
            "return {{seq}, {ask.seq}, {}, {a; b = 1}, {id = 1}, {#rows}, {'job.id {Nothing}'}, KEY.ids, x.job.id}",
        )
    )

    assert fill(text, file="calls/some.lua") == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{Nothing}", "Nothing"),
        ("{Claimed.nothing}", "nothing"),
        ("-- rows (Nothing) as row", "Nothing"),
        ("-- rows (seq) as row\nrow.fence", "fence"),
        ("try('HMGET', key, {job: id}) job.state", "state"),
        ("{StartMark; seq = 1; fence = 2}", "ago"),
        ("{StartMark; seq = 1; fence = 2; ago = 3; nothing = 4}", "nothing"),
        ("{StartMark; seq = 1; nothing; ago = 3}", "nothing"),
        ("-- rows (id) as job\ntry('HMGET', key, {job: id, state})", "job"),
        ("ARGV.nothing", "nothing"),
    ],
)
def test_an_unknown_name_is_an_error_that_says_where(text: str, name: str) -> None:
    with pytest.raises(UnknownName, match=f"^calls/some.lua: .*{name}"):
        fill(text, file="calls/some.lua")


FOLDER = files("windlass.store.redis")
NO_CODE = re.compile(r"--.*|'(?:\\.|[^'\\\n])*'")
LISTS = {"filled", "kept", "long", "members", "oldest", "shrunk"}
"""Lists of equals, of which the first may be asked for; so may that of a reply with one element."""
TABLES = {"KEY", "ask", "bit", "by_name", "cjson", "cmsgpack", "decoded", "given", "leader", "math", "redis", "states"}
TABLES |= {
    "ALERTS",
    "ARCHIVE",
    "CACHE",
    "COOLDOWNS",
    "DECIDED",
    "EDGES",
    "GATES",
    "GROUPS",
    "JOB_COUNTS",
    "KEY_DRIFT",
    "MUTES",
    "RATES",
    "RATE_KEYS",
    "TASK_RATES",
    "TOKENS",
}
TABLES |= {"change", "limit", "old", "rate", "run", "string", "table"}
"""What has names in Lua itself."""


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=f"{folder}/{file.name}")
        for folder in ("calls", "shared")
        for file in sorted(FOLDER.joinpath(folder).iterdir(), key=lambda file: file.name)
    ],
)
def test_no_script_reads_a_row_by_a_bare_position(file: Traversable) -> None:
    code = NO_CODE.sub("''", file.read_text(encoding="utf-8"))

    bare = re.findall(r"(\w+|[)\]])\[(\d+)\]", code)

    assert {(name, position) for name, position in bare if position != "1" or name not in {")", *LISTS}} == set()


def test_every_name_behind_a_dot_was_filled_in_or_is_the_name_of_a_table() -> None:
    """A variable whose fields no heading declares would be read by a name that its list does not have."""
    for name, script in load_scripts().items():
        code = NO_CODE.sub("''", script.text)
        dotted = set(re.findall(r"(?<![\w.])([A-Za-z_]\w*)\.(\w+)", code))
        kept = {(variable, "turn") for variable in ("row", "one", "other")}
        assert {found for found in dotted - kept if found[0] not in TABLES} == set(), name
