-- The jobs of {granted} run from now on; {key} is the concurrency key that each of them holds. Needs clock and limits, and
-- gives limited, the limits of queues as they are after this call.
owned AS (
    INSERT INTO windlass_running (
        seq, fence, claimed_at, attempt, crashes, rescues, queue, lease, claim, worker, gate)
    SELECT seq, fence,
        -- here claimed_at (key = {key}, queue = queue)
        , attempt, crashes, rescues, queue, CAST(:lease AS text), CAST(:token AS text),
        CAST(:worker AS text), {key}
    FROM {granted}, clock WHERE id IS NOT NULL
), limited AS MATERIALIZED (
    SELECT limits.name, limits.max_running, limits.counted, limits.running + (
            SELECT count(*) FROM {granted} AS new WHERE new.id IS NOT NULL AND limits.name IN ('*', new.queue)) AS running
    FROM limits
), counted AS (
    UPDATE windlass_gate AS gate SET running = limited.running FROM limited
    WHERE gate.name = limited.name AND limited.running <> limited.counted
)
