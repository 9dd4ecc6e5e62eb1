-- 1. unlimited
-- What holds for these tasks follows from what is declared and what an operator has chosen.
-- :tasks rows (task) as one
DELETE FROM windlass_rate_limit WHERE task IN (SELECT {one.task} FROM jsonb_each(:tasks) AS one)
AND task NOT IN (SELECT task FROM windlass_task_rate WHERE coalesce(chosen, declared, '[]') <> '[]')

-- 2. limited
-- :tasks rows (task) as one
-- :stored rows (amount, period, burst) as rate
INSERT INTO windlass_rate_limit (task, amount, period, burst)
SELECT task, {rate.amount}, {rate.period}, {rate.burst}
FROM windlass_task_rate, json_each(json_array(json(coalesce(chosen, declared)))) AS rate
WHERE task IN (SELECT {one.task} FROM jsonb_each(:tasks) AS one) AND coalesce(chosen, declared, '[]') <> '[]'
ON CONFLICT (task) DO UPDATE SET amount = excluded.amount, period = excluded.period, burst = excluded.burst
WHERE (amount, period, burst) IS NOT (excluded.amount, excluded.period, excluded.burst)

-- 3. buckets
-- Whole tokens survive a change, as far as there is room for them. Jobs that wait are looked at anew.
-- :tasks rows (task) as one
UPDATE windlass_rate_gate SET
    amount = new_amount, period = new_period, burst = new_burst, filled_at = :now,
    level = min(new_burst, (
        -- here filled
    ) / period) * new_period,
    full_at = :now + (new_burst - min(new_burst, (
        -- here filled
    ) / period)) * new_period / new_amount + 1,
    opens_at = iif(opens_at IS NULL, NULL, :now)
FROM (
    SELECT task, amount AS new_amount, period AS new_period, burst AS new_burst FROM windlass_rate_limit
    WHERE task IN (SELECT {one.task} FROM jsonb_each(:tasks) AS one))
WHERE name > task || char(9) AND name < task || char(10)
AND (amount, period, burst) IS NOT (new_amount, new_period, new_burst)

-- 4. open
-- Jobs that wait for the tokens of a task without a rate go.
UPDATE windlass_rate_gate SET opens_at = :now
WHERE opens_at IS NOT NULL AND substr(name, 1, instr(name, char(9)) - 1) NOT IN (SELECT task FROM windlass_rate_limit)
