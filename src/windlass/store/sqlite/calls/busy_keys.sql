-- 1. keys
-- Concurrency keys that jobs hold: by name, each with how many may hold it, how many do, and how many wait for it, counted up
-- to :most.
-- gives keys
SELECT name,
    coalesce((
        SELECT coalesce(concurrency, declared) FROM windlass_key_limit
        WHERE task = substr(name, 1, instr(name, char(10)) - 1)), 1),
    held,
    (SELECT count(*) FROM (SELECT 1 FROM windlass_job WHERE state = 'blocked' AND gate = name LIMIT :most))
FROM (
    -- here busy_keys
)

-- 2. holders
-- The first :shown jobs that hold each of them.
-- gives holders
SELECT concurrency_key, id, state FROM (
    SELECT concurrency_key, id, state, row_number() OVER (PARTITION BY concurrency_key ORDER BY seq) AS place
    FROM windlass_job
    WHERE concurrency_key IN (SELECT name FROM (
        -- here busy_keys
    ))
    AND
        -- here may_hold_key (job = windlass_job)
    AND (state = 'running' OR (state = 'pending' AND promised = 1)))
WHERE place <= :shown ORDER BY concurrency_key, place
