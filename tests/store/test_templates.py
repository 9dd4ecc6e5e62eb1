"""Statement files name structs and fields; the text that is carried out has them in their order."""

from __future__ import annotations

import re
from itertools import accumulate
from pathlib import Path

import pytest

import windlass.store
from windlass.core.records import Claimed, JobRecord
from windlass.store.columns import fields_of, numbers_of
from windlass.store.templates import UnknownName, fill

STORES = Path(windlass.store.__file__).parent


def filled(text: str) -> str:
    return fill(text, file="some.sql").splitlines()[-1]


def test_a_value_of_a_row_has_its_place() -> None:
    heading = "-- :completed rows (seq, fence, ran_for) as run\n"

    assert filled(heading + "{run.ran_for} - {run.seq}") == "run.value ->> 2 - run.value ->> 0"


def test_by_the_name_of_the_parameter_a_value_has_no_table() -> None:
    assert filled("-- :completed rows (seq, fence), of runs that returned\n{completed.fence}") == "value ->> 1"


def test_the_name_of_a_struct_stands_for_its_fields_in_rows() -> None:
    assert filled("-- :marks rows (StartMark, why)\n{marks.ago}, {marks.why}") == "value ->> 2, value ->> 3"


def test_a_struct_is_a_list_of_columns() -> None:
    assert filled("SELECT {JobRecord} FROM job") == f"SELECT {', '.join(JobRecord.__struct_fields__)} FROM job"


def test_a_list_may_be_of_a_table_of_parameters_or_of_a_row() -> None:
    assert filled("{mark.StartMark}") == "mark.seq, mark.fence, mark.ago"
    assert filled("{:StartMark}") == ":seq, :fence, :ago"
    assert filled("-- :marks rows (StartMark)\n{marks.StartMark}") == "value ->> 0, value ->> 1, value ->> 2"


def test_fields_are_left_out_replaced_and_named() -> None:
    assert filled("{StartMark; without fence; ago = :now}") == "seq, :now"
    assert filled("-- :x rows (b) as a\n{StartMark; ago = :now - {a.b}}") == "seq, fence, :now - a.value ->> 0"
    assert filled("{StartMark; named; ago = 1 + 1}") == "seq AS seq, fence AS fence, 1 + 1 AS ago"
    assert filled("{StartMark; keyed}") == "'seq', seq, 'fence', fence, 'ago', ago"
    assert filled("{new.StartMark; assigned; without seq}") == "fence = new.fence, ago = new.ago"


def test_fields_are_cast() -> None:
    assert filled("{StartMark; cast numbers as bigint; cast ago as text; seq = 1}") == (
        "1, CAST(fence AS bigint), CAST(ago AS text)"
    )


def test_a_list_has_room_for_comments() -> None:
    assert fill("{StartMark;\n  -- it's {late};\n  ago = 1}", file="some.sql") == "seq, fence, 1"


def test_comments_and_empty_braces_stay_as_they_are() -> None:
    assert fill("-- {nothing.here} {or} {There}\nSELECT '{}'", file="some.sql").endswith("SELECT '{}'")


def test_a_text_that_begins_with_a_brace_stays_as_it_is() -> None:
    texts = """'{"v":2}', '{Nothing}', '{nothing.here}', """
    assert filled(texts + "{StartMark}") == texts + "seq, fence, ago"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{Nothing}", "Nothing"),
        ("{nothing}", "nothing"),
        ("{run.seq}", "run"),
        ("-- :completed rows (seq) as run\n{run.fence}", "fence"),
        ("-- :completed rows (Nothing) as run\n", "Nothing"),
        ("-- :completed rows (seq) as run\n{run.StartMark}", "fence"),
        ("{StartMark; without nothing}", "nothing"),
        ("{StartMark; nothing = 1}", "nothing"),
        ("{StartMark; cast nothing as text}", "nothing"),
        ("{StartMark; nothing}", "nothing"),
    ],
)
def test_an_unknown_name_is_an_error_that_says_where(text: str, name: str) -> None:
    with pytest.raises(UnknownName, match=f"^some.sql: .*{name}"):
        fill(text, file="some.sql")


def test_the_fields_of_a_struct_are_its_columns() -> None:
    assert fields_of("Claimed") == Claimed.__struct_fields__
    assert {"seq", "timeout", "wants_cancel"} <= numbers_of("Claimed")
    assert numbers_of("JobRecord").isdisjoint({"id", "state", "reason", "payload"})


@pytest.mark.parametrize(
    "file", sorted(STORES.glob("*/[cs]*/*.sql")), ids=lambda file: str(Path(file).relative_to(STORES).with_suffix(""))
)
def test_no_statement_takes_a_value_by_its_number(file: Path) -> None:
    assert re.findall(r".*->>? *\d.*", file.read_text()) == []


@pytest.mark.parametrize("file", sorted(STORES.glob("postgres/shared/*.sql")), ids=lambda file: Path(file).stem)
def test_a_shared_text_is_whole(file: Path) -> None:
    code = re.sub(r"--.*", "", file.read_text())
    depth = list(accumulate({"(": 1, ")": -1}.get(character, 0) for character in code))

    assert min(depth) == 0
    assert depth[-1] == 0
    assert not re.match(r"\s*(,|AND|OR|FROM|JOIN|WHERE|ORDER|RETURNING)\b", code)
    assert not re.search(r"(,|AND|OR|FROM|WHERE|SELECT)\s*$", code)
