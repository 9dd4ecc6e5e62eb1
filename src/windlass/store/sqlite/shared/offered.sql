-- The jobs of next, with whether there is no token for them (is_out). Needs next; {own} as in rate_tokens.
offered AS MATERIALIZED (
    SELECT seq, priority, run_at, concurrency_key, promised,
        tokens IS NOT NULL AND (NOT may_ask OR turn > tokens) AS is_out
    FROM (
        SELECT *, sum(may_ask) OVER (
            PARTITION BY rate_key ORDER BY priority DESC, run_at, seq ROWS UNBOUNDED PRECEDING) AS turn
        FROM (
            SELECT *, promised > 0 OR NOT
                -- here has_line (key = next.rate_key)
                AS may_ask,
                CASE WHEN rate_key IS NOT NULL THEN
                    -- here rate_tokens (key = next.rate_key, own = {own})
                END AS tokens
            FROM next))
)
