"""``windlass flows``, and what other commands show of jobs that wait for each other."""

from __future__ import annotations

import pytest

from tests.cli.program import Program
from windlass.cli.terminal.screen import PlainScreen
from windlass.cli.views.flows.tree import FlowTree, tree_lines
from windlass.core.state import State
from windlass.insight.flows.graph import FlowEdge, FlowGraph, FlowNode

HOSTILE = 'last"]:::x --> b;%% </script>`#quot;'


def graph(edges: str, *, job: str = "a") -> FlowGraph:
    """A graph of jobs with one letter each: ``ab ac`` is a parent of b and of c."""
    pairs = [(edge[0], edge[1]) for edge in edges.split()]
    ids = dict.fromkeys(id for pair in pairs for id in pair)
    nodes = tuple(FlowNode(id, f"task-{id}", "default", State.BLOCKED, "parents") for id in ids)
    return FlowGraph(job, nodes, tuple(FlowEdge(parent, child, True) for parent, child in pairs))


def drawn(edges: str) -> list[str]:
    return [
        f"{line.drawn}{line.node.id}{' again' * line.is_again}{f' ({line.section})' * bool(line.section)}"
        f"{f' from ({line.heads})' * bool(line.heads)}"
        for line in tree_lines(graph(edges))
    ]


def test_a_chain_stays_at_the_margin() -> None:
    assert drawn("ab bc cd") == ["a", "↓ b", "↓ c", "↓ d"]


def test_a_job_with_several_parents_is_drawn_once() -> None:
    assert drawn("ab ac bd cd de") == ["a", "├─ b", "│  └─ d", "│     ↓ e", "└─ c", "   └─ d again"]


def test_several_jobs_at_the_top() -> None:
    assert drawn("ac bc cd ce") == ["a", "└─ c", "   ├─ d", "   └─ e", "b", "└─ c again"]


def test_what_branches_off_far_in_goes_on_at_the_margin() -> None:
    """C11: a tree fits into 80 columns, however deep."""
    edges = " ".join(f"{chr(97 + level)}{chr(98 + level)} {chr(97 + level)}{chr(65 + level)}" for level in range(12))
    lines = drawn(edges)
    assert max(map(len, lines)) < 40
    assert next(line for line in lines if "(1)" in line).lstrip("│├─└ ").endswith("(1)")
    assert any("from (1)" in line for line in lines)
    assert sum("again" not in line and "from" not in line for line in lines) == 25


def test_a_graph_of_1000_jobs_is_drawn_without_recursion() -> None:
    nodes = tuple(FlowNode(str(number), "t", "q", State.PENDING, None) for number in range(1000))
    edges = tuple(FlowEdge(str(number), str(other), True) for number in range(999) for other in (number + 1, 999))
    assert len(tree_lines(FlowGraph("0", nodes, edges))) < 1500


def test_what_is_left_out_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    FlowTree(FlowGraph("a", graph("ab").nodes, (), left_out=9000)).draw(PlainScreen())
    assert "9,000 jobs are not shown; these are nearest to a" in capsys.readouterr().out


def test_a_flow_is_shown_as_a_tree_as_json_and_as_mermaid(windlass: Program) -> None:
    """B36, C3: with the states of all of it; `jobs show` and `jobs why` name what a job waits for."""
    app = windlass.app
    app.enqueue_many([app.request("broken", ["x"], id="first", attempts=1)])
    jobs = [app.request("mail.welcome", [1], id=id, after=["first"]) for id in ("left", "right")]
    app.enqueue_many([*jobs, app.request("say", id=HOSTILE, after=["left", "right"], on_parent_failure="run")])
    tree, json, mermaid, shown, detail, why, alone = windlass.many(
        ["flows", "show", "left"],
        ["flows", "show", "left", "--json"],
        ["flows", "show", "left", "--mermaid"],
        ["jobs", "show", "left"],
        ["jobs", "show", "left", "--json"],
        ["jobs", "why", "left"],
        ["flows", "show", "nothing"],
    )
    assert tree.code == 0
    lines = tree.out.splitlines()
    assert lines[0] == "4 jobs: 1 pending, 3 blocked"
    assert [line.split()[0] for line in lines[3:]] == ["pending", "blocked", "blocked", "blocked", "see"]
    assert lines[4].endswith("this job")
    assert (json.json["job"], json.json["left_out"], json.json["truncated"]) == ("left", 0, False)
    assert [node["id"] for node in json.json["nodes"]] == ["first", "left", "right", HOSTILE]
    assert {"parent": "left", "child": HOSTILE, "is_open": True} in json.json["edges"]
    assert mermaid.out.startswith("flowchart TD\n")
    [label] = [line for line in mermaid.out.splitlines() if "last" in line]
    assert label.count('"') == 2
    assert (label.count("-->"), label.count("<"), label.count("]")) == (0, 2, 1)
    assert ["waits", "for", "broken", "first", "(pending)"] in [line.split() for line in shown.out.splitlines()]
    assert detail.json["parents"] == {"number": 1, "jobs": [{"id": "first", "task": "broken", "state": "pending"}]}
    assert detail.json["children"]["jobs"][0]["id"] == HOSTILE
    assert "it waits for first (pending) to complete" in why.out
    assert alone.is_error(1, "no job has the id 'nothing'")


def test_what_lies_downstream_is_cancelled_with_a_job(windlass: Program) -> None:
    """A4, B36: `jobs cancel --descendants`."""
    app = windlass.app
    app.enqueue_many([app.request("mail.welcome", [1], id="first")])
    app.enqueue_many([app.request("mail.welcome", [1], id="second", after=["first"], on_parent_failure="run")])
    wrong, cancelled, again = windlass.many(
        ["jobs", "cancel", "--queue", "mail", "--descendants"],
        ["jobs", "cancel", "first", "--descendants", "--reason", "enough"],
        ["jobs", "cancel", "first", "--descendants"],
    )
    assert wrong.is_error(2, "--descendants is for jobs that are named")
    assert cancelled.code == 0
    assert [app.job(id).state for id in ("first", "second")] == [State.CANCELLED, State.CANCELLED]
    assert again.code == 1
    assert "so is all that waits for it" in again.error


def test_a_job_that_waits_for_others_is_run_now(windlass: Program) -> None:
    """B36: `jobs retry`."""
    app = windlass.app
    app.enqueue_many([app.request("mail.welcome", [1], id="first")])
    app.enqueue_many([app.request("mail.welcome", [1], id="second", after=["first"])])
    assert windlass("jobs", "retry", "second").code == 0
    assert app.job("second").state is State.PENDING
