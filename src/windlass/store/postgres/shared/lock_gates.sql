-- Locks the concurrency keys of the jobs of wanted, in order: the triggers that give a key back need them. Behind the rows
-- of ready, due and running, which claims and endings have in hand when they lock keys. Needs wanted; {after} is what was
-- locked before.
locked_gates AS MATERIALIZED (
    SELECT found.name FROM (
        SELECT DISTINCT wanted.concurrency_key FROM wanted
        WHERE wanted.concurrency_key IS NOT NULL AND (SELECT count(*) FROM {after}) >= 0
        ORDER BY wanted.concurrency_key
    ) AS named CROSS JOIN LATERAL (
        SELECT gate.name FROM windlass_key_gate AS gate WHERE gate.name = named.concurrency_key
        FOR UPDATE) AS found
)
