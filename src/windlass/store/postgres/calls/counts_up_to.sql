-- How many jobs stand in which state, by queue: of each state about :most are counted, and at least one of each queue that is
-- ready. The last column says whether there may be more. No more jobs are read, however many there are. Those that run are
-- as many as workers have places for; finished ones are summed up, but for few or none that are not in the tally.
-- gives counts
WITH each AS (
    SELECT greatest(1, CAST(:most AS bigint) / greatest(1, count(*))) AS most FROM windlass_queue
), ready AS (
    SELECT queue.name AS queue, counted.number FROM windlass_queue AS queue CROSS JOIN LATERAL (
        SELECT count(*) AS number FROM (
            SELECT 1 FROM windlass_ready WHERE windlass_ready.queue = queue.name
            -- In the order of the index, so that none but these are read.
            ORDER BY suspect, priority DESC, since, seq LIMIT (SELECT most + 1 FROM each)) AS first) AS counted
), due AS MATERIALIZED (
    SELECT queue, state FROM windlass_due ORDER BY run_at, seq LIMIT CAST(:most AS bigint) + 1
), blocked AS MATERIALIZED (
    SELECT queue, 'blocked' AS state FROM windlass_blocked
    ORDER BY gate, priority DESC, since, seq LIMIT CAST(:most AS bigint) + 1
), more AS (
    -- Those that were not reached may be of any queue.
    SELECT queue.name AS queue, waits.state, 0 AS number, 1 AS has_more
    FROM windlass_queue AS queue CROSS JOIN (VALUES ('scheduled'), ('retrying'), ('blocked')) AS waits (state)
    WHERE queue.name <> '*' AND ((SELECT count(*) FROM due) > CAST(:most AS bigint) AND waits.state <> 'blocked'
    OR (SELECT count(*) FROM blocked) > CAST(:most AS bigint) AND waits.state = 'blocked')
)
SELECT queue, 'pending', least(number, (SELECT most FROM each)), CAST(number > (SELECT most FROM each) AS integer)
FROM ready WHERE number > 0
UNION ALL
SELECT queue, state, CAST(sum(number) AS bigint), max(has_more) FROM (
    SELECT queue, state, 1 AS number, 0 AS has_more FROM due
    UNION ALL SELECT queue, state, 1, 0 FROM blocked
    UNION ALL SELECT queue, state, number, has_more FROM more) AS waits
GROUP BY queue, state
UNION ALL
SELECT queue, 'running', count(*), 0 FROM (SELECT queue FROM windlass_running LIMIT 100000) AS running GROUP BY queue
UNION ALL
SELECT queue, state, CAST(sum(number) AS bigint), 0 FROM (
    SELECT queue, state, number FROM windlass_tally
    UNION ALL
    SELECT queue.name, ended.state, 1
    FROM windlass_queue AS queue CROSS JOIN (VALUES ('completed'), ('failed'), ('cancelled')) AS ended (state)
    CROSS JOIN LATERAL (
        SELECT 1 FROM windlass_finished AS finished
        WHERE NOT finished.tallied AND finished.state = ended.state AND finished.queue = queue.name
        LIMIT 100000) AS untallied) AS finished
GROUP BY queue, state HAVING sum(number) > 0
