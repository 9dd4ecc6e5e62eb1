"""Planted bugs of keys, rates, limits and cool-downs, which have histories of their own."""

from __future__ import annotations

from tests.model.statement_edits import Edit

LET_NONE_GO = ("WHERE state = 'blocked' AND gate = :key", "WHERE false")
IN_ORDER = "gate = :key ORDER BY priority DESC, run_at, seq"
COOLING = "scope = 'queue' AND name ="

TRAFFIC: dict[str, list[Edit]] = {
    "key released at the start of a run": [
        Edit("cycle", "AND holder.state = 'running')", "AND holder.state = 'running' AND holder.started_at IS NULL)")
    ],
    "key not kept for the job that was let go": [Edit("cycle", "holder.promised = 1", "false")],
    "key not asked for by a manual claim": [Edit("manual_claim", "turn > key_room", "false")],
    "key not released by an ending": [Edit("cycle", *LET_NONE_GO)],
    "key not released by a rescue": [Edit("rescue", *LET_NONE_GO)],
    "key not released by a cancel": [Edit("cancel", *LET_NONE_GO)],
    "key not released by a delete": [Edit("delete", *LET_NONE_GO)],
    "key not released by an expiry": [Edit("promote", *LET_NONE_GO)],
    "key not released by a new time": [Edit("reschedule", *LET_NONE_GO)],
    "key released to one too many": [Edit("cycle", "LIMIT max(0, (", "LIMIT max(0, 1 + (")],
    "turn kept through a cancel and a retry": [
        Edit("cancel", "promised = 0", "promised = promised"),
        Edit("retry", "promised = 0", "promised = promised"),
    ],
    "blocked job skipped": [Edit("cycle", IN_ORDER, f"{IN_ORDER} DESC")],
    "blocked job let go before a higher priority": [Edit("cycle", IN_ORDER, "gate = :key ORDER BY run_at, seq")],
    "blocked job never expires": [Edit("promote", "OR late.state = 'blocked')", ")")],
    "blocked jobs not counted in a queue's length": [Edit("enqueue", "OR windlass_job.state = 'blocked')", ")")],
    "released job loses its turn": [Edit("cycle", "= 'pending' AND EXISTS", "= '' AND EXISTS")],
    "rescued job loses its turn": [Edit("rescue", "= 'pending' AND EXISTS", "= '' AND EXISTS")],
    "limit of a key not known": [Edit("cycle", "coalesce(concurrency, declared)", "1")],
    "limit of a key that grew lets no job go": [Edit("unblock", *LET_NONE_GO)],
    "token not taken by a claim": [Edit("cycle", "- period * coalesce((", "- 0 * coalesce((")],
    "token not taken by a manual claim": [Edit("manual_claim", "- period * coalesce((", "- 0 * coalesce((")],
    "tokens not asked for": [Edit("cycle", "windlass_rate WHERE name = :queue) -", "windlass_rate WHERE false) -")],
    "token minted twice": [Edit("cycle", "filled_at = :now\nWHERE", "filled_at = filled_at\nWHERE")],
    "tokens beyond the burst": [
        Edit(call, "min(burst * period, level", "max(0, level") for call in ("cycle", "manual_claim", "next_due")
    ],
    "tokens minted by a clock that was set back": [
        Edit(call, "max(0, :now - filled_at)", "abs(:now - filled_at)")
        for call in ("cycle", "manual_claim", "next_due")
    ],
    "bucket filled from before the clock went back": [Edit("cycle", "AND (filled_at > :now OR", "AND (false OR")],
    "bucket filled from before the clock went back, by hand": [
        Edit("manual_claim", "AND (filled_at > :now OR", "AND (false OR")
    ],
    "cool-down forgotten by a claim": [Edit("cycle", COOLING, f"false AND {COOLING}")],
    "cool-down forgotten by a manual claim": [Edit("manual_claim", COOLING, f"false AND {COOLING}")],
    "cool-down too long by one": [Edit("cycle", "AND :now < ends_at", "AND :now <= ends_at")],
    "cool-down of before the clock went back": [
        Edit("cycle", "AND began_at <= :now AND", "AND"),
        Edit("manual_claim", "AND began_at <= :now AND", "AND"),
        Edit("next_due", "AND began_at <= :now AND", "AND"),
    ],
    "cool-down never longer": [Edit("cool_down", "2 * step", "step")],
    "cool-down never decays": [Edit("cool_down", ":now - ends_at < :quiet", "true")],
    "cool-down longer by a repeat": [Edit("cool_down", "WHERE run <> :run AND", "WHERE")],
    "cool-down by a run that lost its job": [Edit("cool_down", "AND fence = :fence")],
    "chosen cool-down makes the next one longer": [Edit("cool_down", "iif(:chosen IS NULL, :base, NULL)", ":base")],
    "drain ignored": [Edit("limit_drain", "level = 0", "level = level")],
    "limit gives tokens while it cools down": [Edit("limit_take", "AND :cooling = 0")],
    "limit minted a token twice": [Edit("limit_take", "- :is_taken * period")],
    "limit filled beyond its burst": [Edit("limit_take", "min(burst * period, level", "max(0, level")],
    "limit filled from before the clock went back": [Edit("limit_take", "OR filled_at > :now)", "OR false)")],
    "token minted twice for a rate key": [Edit("cycle", "- excluded.burst * excluded.period + excluded.level")],
    "rate key not asked for by a manual claim": [Edit("manual_claim", "turn > tokens", "false")],
    "what operators say of keys ignored": [Edit("cycle", "coalesce(concurrency, declared)", "declared")],
    "replaced job keeps old arguments": [
        Edit("enqueue", """'{"v":2,"payload":"apart"}', taken.value ->> 2)""", "payload, payload)")
    ],
    "job that runs is replaced": [Edit("enqueue", "AND holder.state IN ('pending', 'scheduled', 'blocked')")],
    "postponed job keeps its time": [
        Edit("enqueue", "WHEN due_at > :now THEN due_at", "WHEN due_at > :now THEN run_at")
    ],
    "postponed for longer than it may": [Edit("enqueue", "iif(max_wait IS NULL, due_at,", "iif(true, due_at,")],
    "limit that is changed mints tokens": [
        Edit("limit_change", "level = min(excluded.burst", "level = max(excluded.burst")
    ],
    "line not kept": [Edit("limit_take", "(:ahead + 1) * period <=", "period <=")],
    "line never forgotten": [Edit("limit_take", "until <= :now OR", "false OR")],
}
