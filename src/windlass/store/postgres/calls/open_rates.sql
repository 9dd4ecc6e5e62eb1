-- Lets jobs go that wait for tokens, at the :limit rates that have had one for the longest. It waits for no lock: a rate from
-- which a claim takes tokens at this moment is looked at by the next call.
-- gives let_go
WITH
-- here clock
, opening AS MATERIALIZED (
    SELECT rate.name FROM windlass_rate_gate AS rate
    WHERE rate.opens_at BETWEEN 0 AND (SELECT now FROM clock)
    ORDER BY rate.opens_at LIMIT CAST(:limit AS bigint)
    FOR UPDATE SKIP LOCKED
)
SELECT windlass_open_rate(opening.name, (SELECT now FROM clock)) FROM opening
