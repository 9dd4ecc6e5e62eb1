-- The counters of concurrency keys that are wrong: none, for how many jobs hold a key is read from the jobs themselves.
-- gives drifted
SELECT '', 0, 0 WHERE false LIMIT :limit
