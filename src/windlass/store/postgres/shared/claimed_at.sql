-- When a run of {queue} is claimed. Under a limit, or with a concurrency key, that is the moment behind the locks: the claim
-- may have waited there for an ending that is later than the beginning of this statement. Under a rate, of the queue or by
-- rate_key, it is the instant at which tokens are counted. Needs clock, gate and rate.
CASE WHEN (EXISTS (SELECT 1 FROM gate) OR {key} IS NOT NULL) AND rate_key IS NULL
        AND {queue} NOT IN (SELECT rate.name FROM rate)
    THEN (SELECT coalesce(
        CAST(:now AS bigint), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)))
    ELSE clock.now END
