-- 1. begin
-- Begins a cool-down, or makes one longer that lasts. Only a run that its job still carries may do that, and once.
INSERT INTO windlass_cooldown (scope, name, began_at, ends_at, step, run, job, reason)
SELECT :scope, :name, :now, :now + coalesce(:chosen, :base), iif(:chosen IS NULL, :base, NULL), :run, :job, :reason
WHERE EXISTS (SELECT 1 FROM windlass_job WHERE seq = :seq AND fence = :fence AND state = 'running')
ON CONFLICT (scope, name) DO UPDATE SET
    began_at = iif(began_at <= :now AND :now < ends_at, began_at, :now),
    ends_at = :now + coalesce(:chosen, iif(step IS NULL, :base,
        -- here next_step
    )),
    step = iif(:chosen IS NOT NULL, step, iif(step IS NULL, :base,
        -- here next_step
    )),
    run = :run, job = :job, reason = :reason
WHERE run <> :run AND (NOT (began_at <= :now AND :now < ends_at) OR ends_at < :now + :chosen)

-- 2. cooling
-- gives cooling
SELECT max(0, ends_at - :now), run = :run,
    :scope <> 'limit' OR EXISTS (SELECT 1 FROM windlass_limit WHERE windlass_limit.name = :name)
FROM windlass_cooldown WHERE scope = :scope AND name = :name
AND EXISTS (SELECT 1 FROM windlass_job WHERE seq = :seq AND fence = :fence AND state = 'running')
