"""Planted bugs of flows and durable steps, which have histories of their own."""

from __future__ import annotations

from tests.model.statement_edits import Edit

ALL_SETTLED = "AND NOT EXISTS (SELECT 1 FROM windlass_edge WHERE child = windlass_job.seq AND state < 2)"
HAS_ENDED = "state IN ('completed', 'failed', 'cancelled') AND seq IN"
TAKEN_ALONG = "child.state = 'cancelled' AND child.reason = 'dependency'"
HELD = "seq = :seq AND fence = :fence AND state = 'running'"
HELD_BY_ANY = "seq = :seq AND state = 'running'"
OF_WAITING_CHILD = "ON child.seq = edge.child AND child.state = 'blocked' AND child.gate = 'parents'"

FLOWS: dict[str, list[Edit]] = {
    "child released before the last parent": [Edit("cycle", ALL_SETTLED)],
    "parent's rescue counted as an ending": [
        Edit("rescue", HAS_ENDED, "seq IN"),
        Edit("rescue", "THEN 2\n    ELSE 1 END", "THEN 2\n    ELSE 2 END"),
    ],
    "parent's retry counted as an ending": [
        Edit("cycle", HAS_ENDED, "seq IN"),
        Edit("cycle", "THEN 2\n    ELSE 1 END", "THEN 2\n    ELSE 2 END"),
    ],
    "child not released by its parent": [Edit("cycle", HAS_ENDED, "false AND seq IN")],
    "child of a cancelled job forgotten": [Edit("cancel", HAS_ENDED, "false AND seq IN")],
    "child of a lost job forgotten": [Edit("rescue", HAS_ENDED, "false AND seq IN")],
    "child that is to wait is let go": [Edit("cycle", "CASE policy WHEN 'wait' THEN 1 ELSE 2 END", "2")],
    "child that is to run is cancelled": [
        Edit("cycle", "AND edge.state = 0 AND edge.policy = 'cancel'", "AND edge.state = 0")
    ],
    "child not taken back by a retry": [Edit("retry", TAKEN_ALONG, "false")],
    "child that was cancelled by hand taken back": [Edit("retry", TAKEN_ALONG, "child.state = 'cancelled'")],
    "grandchild not taken back by a retry": [Edit("retry", "edge.parent = revived.seq", "false")],
    "grandchild of a link that runs taken along": [
        Edit(call, OF_WAITING_CHILD, "ON child.seq = edge.child") for call in ("cycle", "cancel", "delete", "promote")
    ],
    "child keeps its unique key": [
        Edit(call, "WHERE seq IN (SELECT value FROM json_each(:doomed)))", "WHERE false)")
        for call in ("cycle", "cancel", "delete", "promote")
    ],
    "callback released before the last member": [
        Edit("cycle", "own.callback = edge.child AND own.place > edge.watched AND NOT", "false AND NOT")
    ],
    "callback twice": [
        Edit("cycle", "SET state = 0 WHERE state = 1 AND parent IN", "SET state = 0 WHERE parent IN"),
        Edit("cycle", f"AND state = 'blocked' AND gate = 'parents'\n{ALL_SETTLED}", ALL_SETTLED),
    ],
    "member added to a group that is closed": [Edit("enqueue", "AND edge.place = -1 AND edge.state < 2)", "OR true)")],
    "added members stand before the others": [
        Edit("enqueue", "+ 1 + member.value ->> 1, found.seq", "* 0 - 10 - found.seq, found.seq")
    ],
    "step run twice": [Edit("steps", "WHERE seq = :seq ORDER BY", "WHERE seq = :seq AND fence = :fence ORDER BY")],
    "step overwritten": [Edit("record_step", "DO NOTHING", "DO UPDATE SET result = excluded.result")],
    "step written by a zombie": [Edit("record_step", HELD, HELD_BY_ANY)],
    "step gives no new budget": [Edit("record_step", "attempt = 0, crashes = 0, rescues = 0", "attempt = attempt")],
    "wait written by a zombie": [Edit("await_event", HELD, HELD_BY_ANY)],
    "event lost between check and sleep": [
        Edit("wake_waiters", "job.state = 'running' AND job.fence = step.fence", "false")
    ],
    "event wakes one waiter only": [
        Edit("wake_waiters", "WHERE step.ended_at IS NULL AND", "WHERE step.number = 1 AND")
    ],
    "wait never times out": [
        Edit("await_event", ":now + :timeout, :now + 1) <= :now", ":now + :timeout, :now + 1) < 0")
    ],
    "sleep that began anew": [Edit("record_step", "DO NOTHING", "DO UPDATE SET wake_at = excluded.wake_at")],
}
