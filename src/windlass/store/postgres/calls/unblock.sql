-- Lets go the jobs at these gates that wait for a concurrency key that is free. In order, as each is locked.
-- :gates rows (key)
-- gives let_go
SELECT windlass_free_key(named.name, 0) FROM (
    SELECT {gates.key} AS name FROM jsonb_array_elements(CAST(:gates AS jsonb))
    WHERE strpos({gates.key}, E'\n') > 0
    ORDER BY ({gates.key}) COLLATE "C" OFFSET 0) AS named
