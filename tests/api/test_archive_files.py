"""Archive files that a crash has spoiled: what is whole is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from windlass import ConfigError, Windlass
from windlass.archive.protocol import ArchivedJob
from windlass.archive.writers import FileArchive
from windlass.core.records import JobRecord
from windlass.core.state import State

AT = 1_767_268_800_000
FILE = "jobs-2026-W01.jsonl.gz"


def job(seq: int) -> ArchivedJob:
    return ArchivedJob(
        JobRecord(
            seq, f"job-{seq}", "mail", "default", State.COMPLETED, None, 0, "{}", None, 1, 4, 0, 0, AT, AT, None, AT,
            AT, AT + seq, None, 1, None, "w", None, None, None, None, "x" * 5000, None, None, None,
        )
    )  # fmt: skip


def ids(folder: Path) -> tuple[list[str], int]:
    """What is found, and how many parts were not."""
    with Windlass("sqlite:///:memory:") as app:
        page = app.archive.at(folder).jobs()
        return [job.id for job in page], page.damaged


def test_what_was_written_is_read(tmp_path: Path) -> None:
    FileArchive(tmp_path).keep([job(1), job(2)])
    FileArchive(tmp_path).keep([job(3)])
    assert ids(tmp_path) == (["job-3", "job-2", "job-1"], 0)


@pytest.mark.parametrize("left", [1, 5, 12, -20, -1])
def test_a_torn_member_is_passed_by(tmp_path: Path, left: int) -> None:
    """A13: the machine went down while it was written; what follows it is read."""
    file = tmp_path / FILE
    FileArchive(tmp_path).keep([job(1)])
    whole = file.read_bytes()
    FileArchive(tmp_path).keep([job(2)])
    torn = file.read_bytes()[len(whole) :][:left]
    file.write_bytes(whole + torn)
    assert ids(tmp_path) == (["job-1"], 1)
    FileArchive(tmp_path).keep([job(3)])
    assert ids(tmp_path) == (["job-3", "job-1"], 1)


def test_zeros_at_the_end_are_passed_by(tmp_path: Path) -> None:
    """As a file system leaves them after a power cut."""
    FileArchive(tmp_path).keep([job(1)])
    with (tmp_path / FILE).open("ab") as file:
        file.write(bytes(4096))
    assert ids(tmp_path) == (["job-1"], 1)


def test_a_file_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(ConfigError, match=r"jobs-2026-W01\.jsonl\.gz cannot be read: Is a directory"):
        ids(tmp_path)


def test_a_line_that_is_no_job_is_passed_by(tmp_path: Path) -> None:
    lines = [b"{", b'{"seq":1}', job(7).to_json(), b"[]"]
    (tmp_path / FILE).write_bytes(gzip.compress(b"\n".join(lines)))
    assert ids(tmp_path) == (["job-7"], 3)


def test_a_job_that_stands_there_twice_is_listed_once(tmp_path: Path) -> None:
    for _ in range(2):
        FileArchive(tmp_path).keep([job(1), job(2)])
    assert ids(tmp_path) == (["job-2", "job-1"], 0)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / FILE).write_bytes(b"")
    assert ids(tmp_path) == ([], 0)


def test_fields_of_other_releases_do_no_harm() -> None:
    text = job(1).to_json().replace(b'"seq":1,', b'"seq":1,"colour":"red",').replace(b',"tags":null', b"")
    assert ArchivedJob.from_json(text) == job(1)
