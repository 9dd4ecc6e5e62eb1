"""Finding the app: named, in the environment, in the working folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import JOBS, Program
from windlass import Windlass

ELSEWHERE = 'from windlass import Windlass\nother = Windlass("sqlite:///elsewhere.db")\n'


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Program]:
    """A folder with nothing in it."""
    program = Program(tmp_path)
    yield program
    program.app.close()


def make_store(program: Program, name: str = "windlass.db") -> str:
    """Its file, as ``status`` tells it: to look at a store makes none."""
    file = program.folder / name
    with Windlass(f"sqlite:///{file}") as app:
        app.migrate()
    return str(file)


@pytest.mark.parametrize("name", ["shop", "shop:app"])
def test_an_app_is_named_by_module_and_object_or_by_module_alone(empty: Program, name: str) -> None:
    empty.write("shop.py", JOBS)
    file = make_store(empty)
    assert empty.json("status", "-A", name)["store"] == file


def test_the_app_comes_from_the_environment(empty: Program) -> None:
    empty.write("shop.py", JOBS)
    make_store(empty)
    assert empty("status", WINDLASS_APP="shop").code == 0


def test_the_app_comes_from_pyproject(empty: Program) -> None:
    empty.write("shop.py", JOBS)
    empty.write("pyproject.toml", '[tool.windlass]\napp = "shop"\nconcurrency = 3\n')
    file = make_store(empty)
    assert empty.json("status")["store"] == file
    assert "concurrency  3" in empty("worker", "--burst").out


def test_the_first_file_with_an_app_is_found(empty: Program) -> None:
    """jobs.py comes before tasks.py, but has no app here."""
    empty.write("jobs.py", "answer = 42\n")
    empty.write("tasks.py", ELSEWHERE)
    empty.write("app.py", JOBS)
    file = make_store(empty, "elsewhere.db")
    assert empty.json("status")["store"] == file


def test_without_app_or_store_commands_say_what_to_name(empty: Program) -> None:
    assert empty("status").is_error(1, "no store at", "--url", "--app")
    assert empty("worker").is_error(2, "no app found", "--app", "jobs.py", str(empty.folder))
    assert list(empty.folder.iterdir()) == []


def test_a_store_alone_is_enough_to_manage_it(empty: Program) -> None:
    """And then no code of the user's is loaded."""
    empty.write("jobs.py", "raise SystemExit('loaded')\n")
    file = make_store(empty, "named.db")
    assert empty.json("status", "--url", "sqlite:///named.db")["store"] == file


def test_the_store_of_the_working_folder_is_found(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    (windlass.folder / "jobs.py").unlink()
    assert windlass.json("status")["counts"]["pending"] == 1


def test_a_url_moves_an_app_that_names_no_store(windlass: Program) -> None:
    answer = windlass("worker", "--burst", "--url", "sqlite:///moved.db")
    assert answer.code == 0
    assert str(windlass.folder / "moved.db") in answer.out


def test_a_url_that_contradicts_the_app_is_refused(empty: Program) -> None:
    empty.write("jobs.py", ELSEWHERE)
    assert empty("status", "-A", "jobs", "--url", "sqlite:///moved.db").is_error(2, "elsewhere.db")


def test_a_module_with_two_apps_asks_which(empty: Program) -> None:
    empty.write(
        "two.py", "from windlass import Windlass\none = Windlass('sqlite:///1.db')\ntwo = Windlass('sqlite:///2.db')\n"
    )
    assert empty("status", "-A", "two").is_error(2, "two:one or two:two")


MAIL = """
from shop import app

@app.task(name="mail.goodbye")
def goodbye() -> str:
    return "goodbye"
"""


@pytest.mark.parametrize("given", [["-A", "shop,mail"], ["-A", "mail", "-A", "shop:app"], ["-A", "shop", "-A", "mail"]])
def test_tasks_may_be_in_several_modules(empty: Program, given: list[str]) -> None:
    """Each is imported, for the tasks that it declares; one of them has the app."""
    empty.write("shop.py", JOBS)
    empty.write("mail.py", MAIL)
    jobs = [empty.app.enqueue("mail.goodbye"), empty.app.enqueue("mail.welcome", 1)]
    assert empty("worker", "--burst", *given).code == 0
    assert [job.result(timeout=0) for job in jobs] == ["goodbye", "welcome 1"]


def test_several_modules_come_from_the_environment(empty: Program) -> None:
    empty.write("shop.py", JOBS)
    empty.write("mail.py", MAIL)
    assert "tasks        5" in empty("worker", "--burst", WINDLASS_APP="shop, mail").out


def test_several_modules_must_have_one_app(empty: Program) -> None:
    empty.write("shop.py", JOBS)
    empty.write("other.py", ELSEWHERE)
    empty.write("plain.py", "answer = 42\n")
    assert empty("status", "-A", "shop,other").is_error(2, "shop and other have an app each", "module:object")
    assert empty("status", "-A", "plain", "-A", "plain").is_error(2, "none of these modules has a Windlass object")
    assert empty("status", "-A", ",").is_error(2, "--app is given but empty")
    file = make_store(empty)
    assert empty.json("status", "-A", "other,shop:app")["store"] == file


def test_an_app_names_the_modules_of_its_tasks(empty: Program) -> None:
    """``include``: they are imported after the app is there, so that they can import it."""
    empty.write("shop.py", JOBS.replace("Windlass()", "Windlass(include=['mail'])"))
    empty.write("mail.py", MAIL)
    job = empty.app.enqueue("mail.goodbye")
    assert empty("worker", "--burst", "-A", "shop").code == 0
    assert job.result(timeout=0) == "goodbye"
    empty.write("mail.py", "1 / 0\n")
    assert empty("worker", "--burst", "-A", "shop").is_error(2, "'mail'", "ZeroDivisionError", "mail.py, line 1")


BROKEN = [
    ("nowhere", "", ["no module 'nowhere'"]),
    ("jobs.py", "", ["jobs:app"]),
    ("broken2", "\n1 / 0\n", ["ZeroDivisionError", "broken2.py, line 2"]),
    ("broken3", "def (\n", ["SyntaxError", "broken3.py, line 1"]),
    ("broken4", "import nowhere_at_all\n", ["nowhere_at_all", "broken4.py, line 1"]),
    ("broken5", "raise SystemExit('\\x1b[31mbye')\n", ["SystemExit", r"\x1b[31mbye"]),
    ("broken6", "answer = 42\n", ["no Windlass object"]),
    ("broken7:answer", "answer = 42\n", ["'answer' is a int, not a Windlass object"]),
    ("broken8:app.gone", "app = 42\n", ["has no 'app.gone'"]),
]


def test_an_app_that_cannot_be_loaded_is_one_line(empty: Program) -> None:
    for number, (_, text, _) in enumerate(BROKEN):
        empty.write(f"broken{number}.py", text)
    answers = empty.many(*(["status", "-A", name] for name, _, _ in BROKEN))
    for answer, (_, _, words) in zip(answers, BROKEN, strict=True):
        assert answer.is_error(2, *words), answer
    assert empty("status", "-A", "broken2").is_error(2, "ZeroDivisionError"), "and no traceback"


def test_a_store_that_cannot_be_used_is_one_line(empty: Program) -> None:
    assert empty("status", "--url", "sqlite:////nowhere/at/all.db").is_error(1, "/nowhere/at/all.db")
    assert empty("status", "--url", "carrier-pigeon://x").is_error(2, "carrier-pigeon")
