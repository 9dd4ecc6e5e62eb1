-- Sets limits up as the code says; what an operator has changed stays. A bucket begins full; whole tokens survive a
-- change, as far as there is room for them.
-- :limits rows (LimitSeed)
INSERT INTO windlass_limit (name, amount, period, burst, level, filled_at)
SELECT {limits.LimitSeed}, {limits.burst} * {limits.period}, :now FROM jsonb_each(:limits) WHERE true
ON CONFLICT (name) DO UPDATE SET
    amount = excluded.amount, period = excluded.period, burst = excluded.burst, filled_at = :now,
    level = min(excluded.burst, (
        -- here filled
    ) / period) * excluded.period
WHERE changed_at IS NULL
AND (amount, period, burst) IS NOT (excluded.amount, excluded.period, excluded.burst)
