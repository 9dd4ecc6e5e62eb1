-- 1. changed
-- How many jobs of each task with the same rate key may be claimed in which time, as the code says.
-- :limits rows (task, amount, period, burst) as one
-- gives changed
INSERT INTO windlass_rate_limit (task, amount, period, burst)
SELECT {one.task}, {one.amount}, {one.period}, {one.burst} FROM jsonb_each(:limits) AS one WHERE true
ON CONFLICT (task) DO UPDATE SET amount = excluded.amount, period = excluded.period, burst = excluded.burst
WHERE (amount, period, burst) IS NOT (excluded.amount, excluded.period, excluded.burst)
RETURNING task

-- 2. buckets
-- Whole tokens survive a change, as far as there is room for them. Jobs that wait are looked at anew.
-- :limits rows (task, amount, period, burst) as one
-- only with limits
UPDATE windlass_rate_gate SET
    amount = {one.amount}, period = {one.period}, burst = {one.burst}, filled_at = :now,
    level = min({one.burst}, (
        -- here filled
    ) / period) * ({one.period}),
    full_at = :now + (({one.burst}) - min({one.burst}, (
        -- here filled
    ) / period)) * ({one.period}) / ({one.amount}) + 1,
    opens_at = iif(opens_at IS NULL, NULL, :now)
FROM jsonb_each(:limits) AS one
WHERE name > {one.task} || char(9) AND name < {one.task} || char(10)
AND (amount, period, burst) IS NOT ({one.amount}, {one.period}, {one.burst})

-- 3. unlimited
-- Tasks that have no rate any more.
-- :without rows (task) as one
DELETE FROM windlass_rate_limit WHERE task IN (SELECT {one.task} FROM jsonb_each(:without) AS one)

-- 4. open
-- Jobs that wait for the tokens of such a task go.
UPDATE windlass_rate_gate SET opens_at = :now
WHERE opens_at IS NOT NULL AND substr(name, 1, instr(name, char(9)) - 1) NOT IN (SELECT task FROM windlass_rate_limit)
