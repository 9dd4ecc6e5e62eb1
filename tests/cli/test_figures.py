"""``windlass figures``."""

from __future__ import annotations

from tests.cli.program import Program


def test_figures_are_shown_as_charts_times_and_by_name(windlass: Program) -> None:
    """A14: at 80 columns; the same as JSON."""
    app = windlass.app
    app.enqueue_many([app.request("mail.welcome", [n]) for n in range(3)])
    before, *_ = windlass.many(["figures"])
    assert "nothing is known of this time" in before.out
    assert windlass("worker", "--burst").code == 0
    shown, queue, json, mean, summed, rolled, wrong = windlass.many(
        ["figures", "--range", "10m"],
        ["figures", "--queue", "default", "--task", "mail.welcome", "--range", "10m"],
        ["figures", "--by", "task", "--json"],
        ["figures", "--aggregate", "avg", "--range", "10m"],
        ["figures", "--aggregate", "sum", "--range", "10m", "--json"],
        ["duties", "roll-up"],
        ["figures", "--range", "soon"],
    )
    lines = shown.out.splitlines()
    assert lines[0].startswith("all jobs, ")
    assert lines[1].startswith("enqueued 3, completed 3, failed 0, retried 0")
    assert any(line.startswith("completed ") and "  up to " in line for line in lines)
    assert max(len(line) for line in lines) <= 80
    assert [line.split()[:5] for line in lines[-2:]] == [
        ["QUEUE", "ENQUEUED", "COMPLETED", "FAILED", "RETRIED"],
        ["default", "3", "3", "0", "0"],
    ]
    assert queue.out.startswith("task mail.welcome in queue default, ")
    assert json.json["total"]["counts"]["completed"] == 3
    assert json.json["total"]["run"]["count"] == 3
    assert json.json["by"]["mail.welcome"]["counts"]["enqueued"] == 3
    assert {point["known"] for point in json.json["points"]} == {True, False}
    rows = dict(line.rsplit(maxsplit=1) for line in mean.out.splitlines()[1:])
    assert (rows["MEASURE"], rows["attempts"], rows["completed"][-2:]) == ("AVG", "1", "/s")
    assert (summed.json["aggregate"], summed.json["total"]["values"]["completed"]) == ("sum", 3)
    assert rolled.out.startswith("merged ")
    assert (wrong.code, "range must look like" in wrong.error) == (2, True)
