-- Sets limits up as the code says; what an operator has changed stays. A bucket begins full; whole tokens survive a
-- change, as far as there is room for them.
-- :limits rows (LimitSeed)
WITH
-- here clock
, wanted AS MATERIALIZED (
    SELECT {limits.LimitSeed; named; cast numbers as bigint} FROM jsonb_array_elements(CAST(:limits AS jsonb))
)
INSERT INTO windlass_limit AS stored (name, amount, period, burst, level, filled_at)
SELECT name, amount, period, burst, burst * period, now FROM wanted, clock
-- by name, as all calls lock limits
ORDER BY name COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
    amount = excluded.amount, period = excluded.period, burst = excluded.burst, filled_at = excluded.filled_at,
    level = least(excluded.burst, least(
        stored.burst * stored.period,
        stored.level + stored.amount * least(
            greatest(0, excluded.filled_at - stored.filled_at), stored.burst * stored.period / stored.amount + 1)
        ) / stored.period) * excluded.period
WHERE stored.changed_at IS NULL
AND (stored.amount, stored.period, stored.burst) IS DISTINCT FROM (excluded.amount, excluded.period, excluded.burst)
