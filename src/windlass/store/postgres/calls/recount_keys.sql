-- Counts anew how many jobs hold these concurrency keys, in order, as each is locked; those that were wrong.
-- :keys rows (name) as one
-- gives drifted
SELECT found.key, found.counted, found.held FROM (
    SELECT {one.name} AS name FROM jsonb_array_elements(CAST(:keys AS jsonb)) AS one (value)
    ORDER BY ({one.name}) COLLATE "C" OFFSET 0) AS named
CROSS JOIN LATERAL windlass_recount_key(named.name) AS found
