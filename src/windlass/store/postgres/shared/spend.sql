-- Every claim takes a token. Otherwise only what has to be known later is written: how far the clock went back. Needs rate,
-- clock and {granted}, what is claimed; gives spent, the buckets as they are then.
spent AS MATERIALIZED (
    SELECT known.name, known.amount, known.period, known.level, known.filled_at, known.is_changed FROM (
        SELECT rate.name, rate.amount, rate.period,
            CASE WHEN rate.filled_at > clock.now AND rate.filled_at <= clock.now + 60000 THEN rate.level ELSE
                -- here filled (rate = rate)
            END - rate.period * claims.number AS level,
            CASE WHEN rate.filled_at > clock.now + 60000 THEN clock.now
                ELSE greatest(rate.filled_at, clock.now) END AS filled_at,
            claims.number > 0 OR rate.filled_at > clock.now + 60000 AS is_changed
        FROM rate CROSS JOIN clock CROSS JOIN LATERAL (
            SELECT count(*) AS number FROM {granted} AS granted
            WHERE granted.id IS NOT NULL AND granted.queue = rate.name) AS claims
    ) AS known
), spending AS (
    UPDATE windlass_rate AS stored SET level = spent.level, filled_at = spent.filled_at FROM spent
    WHERE stored.name = spent.name AND spent.is_changed
)
