-- Lets go the jobs at these gates that wait for a concurrency key that is free, and has promote look at those that wait for
-- a token. In order, as each is locked.
-- :gates rows (key)
-- gives let_go
WITH
-- here clock
SELECT CASE WHEN strpos(named.name, E'\n') > 0 THEN windlass_free_key(named.name, 0)
    ELSE windlass_reopen_rate(named.name, (SELECT now FROM clock)) END
FROM (
    SELECT {gates.key} AS name FROM jsonb_array_elements(CAST(:gates AS jsonb))
    WHERE strpos({gates.key}, E'\n') > 0 OR strpos({gates.key}, E'\t') > 0
    ORDER BY ({gates.key}) COLLATE "C" OFFSET 0) AS named
