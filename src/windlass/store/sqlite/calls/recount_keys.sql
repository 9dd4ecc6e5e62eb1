-- The counters of concurrency keys that were wrong: none, for how many jobs hold a key is read from the jobs themselves.
-- :keys rows (name)
-- gives drifted
SELECT '', 0, 0 FROM jsonb_each(:keys) WHERE false
