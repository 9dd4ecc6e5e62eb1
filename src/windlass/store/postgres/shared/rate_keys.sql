-- For which of the jobs of begun there are no tokens, put_off: rows (seq). Needs begun and clock. The rows of their rates,
-- buckets, are locked in the order of their names, behind {after}. Of one priority, those come first that {first} says.
--
-- While jobs wait for tokens, others of the key line up behind them, but for one that was let go, or has its concurrency key.
rated AS MATERIALIZED (
    SELECT begun.seq, begun.rate_key AS name,
        row_number() OVER (ORDER BY begun.priority DESC, {first}, begun.since, begun.seq) AS place,
        -- here rate_turn (row = begun, key = begun.rate_key)
        AS is_next
    FROM begun WHERE begun.rate_key IS NOT NULL AND begun.id IS NOT NULL
), buckets AS MATERIALIZED (
    SELECT named.name, found.tokens, found.has_line FROM (
        SELECT DISTINCT rated.name FROM rated WHERE (SELECT count(*) FROM {after}) >= 0 ORDER BY rated.name OFFSET 0
    ) AS named CROSS JOIN LATERAL windlass_lock_rate(named.name, (SELECT clock.now FROM clock)) AS found
), asking AS (
    SELECT rated.seq, rated.is_next OR NOT buckets.has_line AS may_ask, buckets.tokens,
        count(*) FILTER (WHERE rated.is_next OR NOT buckets.has_line) OVER (
            PARTITION BY rated.name ORDER BY rated.place) AS turn
    FROM rated JOIN buckets ON buckets.name = rated.name
    WHERE buckets.tokens IS NOT NULL
), put_off AS MATERIALIZED (
    SELECT asking.seq FROM asking WHERE NOT asking.may_ask OR asking.turn > asking.tokens
)
