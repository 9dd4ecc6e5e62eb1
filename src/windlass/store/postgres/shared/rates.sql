-- Locks the token buckets of the queues that are asked for jobs, as far as these have rates; by name, after gate. Needs
-- touched and gate; gives rate.
rate AS MATERIALIZED (
    SELECT rate.* FROM windlass_rate AS rate
    -- Without any rate nothing else is looked at.
    WHERE (SELECT true FROM windlass_rate LIMIT 1) AND (SELECT count(*) FROM gate) >= 0
    AND rate.name = ANY (ARRAY(SELECT touched.queue FROM touched WHERE touched.is_asked))
    ORDER BY rate.name
    FOR UPDATE
)
