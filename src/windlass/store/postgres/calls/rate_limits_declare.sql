-- How many jobs of each task with the same rate key may be claimed in which time, as the code says, and which tasks have no
-- rate any more: jobs that wait for theirs go. Whole tokens survive a change, as far as there is room for them.
-- :limits rows (task, amount, period, burst) as one
-- :without rows (task) as other
-- gives changed
WITH
-- here clock
, wanted AS MATERIALIZED (
    SELECT ({one.task}) COLLATE "C" AS task, CAST({one.amount} AS bigint) AS amount, CAST({one.period} AS bigint) AS period,
        CAST({one.burst} AS bigint) AS burst
    FROM jsonb_array_elements(CAST(:limits AS jsonb)) AS one (value)
), changed AS (
    INSERT INTO windlass_rate_limit AS known (task, amount, period, burst)
    SELECT task, amount, period, burst FROM wanted ORDER BY task
    ON CONFLICT (task) DO UPDATE SET amount = excluded.amount, period = excluded.period, burst = excluded.burst
    WHERE (known.amount, known.period, known.burst)
        IS DISTINCT FROM (excluded.amount, excluded.period, excluded.burst)
    RETURNING task
), gone AS (
    DELETE FROM windlass_rate_limit AS known WHERE known.task = ANY (ARRAY(
        SELECT {other.task} FROM jsonb_array_elements(CAST(:without AS jsonb)) AS other (value)))
    RETURNING known.task
), touched AS MATERIALIZED (
    -- By task and then by name, which is the order of names, as claims lock them.
    SELECT found.* FROM (
        SELECT task, amount, period, burst FROM wanted WHERE (SELECT count(*) FROM changed) > 0
        UNION ALL
        SELECT task, NULL, NULL, NULL FROM gone
        ORDER BY task OFFSET 0
    ) AS task CROSS JOIN LATERAL (
        SELECT gate.name, gate.opens_at, task.amount, task.period, task.burst,
            least(task.burst, windlass_filled(gate, (SELECT now FROM clock)) / gate.period) AS tokens
        FROM windlass_rate_gate AS gate
        WHERE gate.name > task.task || E'\t' AND gate.name < task.task || E'\n'
        AND (gate.amount, gate.period, gate.burst) IS DISTINCT FROM (task.amount, task.period, task.burst)
        ORDER BY gate.name FOR UPDATE) AS found
), refilled AS (
    UPDATE windlass_rate_gate AS gate SET
        amount = coalesce(touched.amount, gate.amount), period = coalesce(touched.period, gate.period),
        burst = coalesce(touched.burst, gate.burst), filled_at = clock.now,
        level = coalesce(touched.tokens * touched.period, gate.level),
        full_at = clock.now + coalesce(
            (touched.burst - touched.tokens) * touched.period / touched.amount + 1, 0),
        opens_at = CASE WHEN gate.opens_at IS NOT NULL THEN clock.now END
    FROM touched, clock WHERE gate.name = touched.name
)
SELECT task FROM changed
