-- 1. held
-- Whether the run still has the job.
-- binds is_held
SELECT EXISTS (SELECT 1 FROM windlass_job WHERE seq = :seq AND fence = :fence AND state = 'running')

-- 2. has_come
-- Whether the event has come: since 7 days before the wait began, however long it takes.
-- binds has_come
SELECT EXISTS (
    SELECT 1 FROM windlass_sent WHERE name = :event AND sent_at > coalesce((
        SELECT began_at FROM windlass_step WHERE seq = :seq AND name = :name), :now) - 604800000)

-- 3. is_over
-- Whether the wait has lasted long enough.
-- binds is_over
SELECT coalesce((SELECT coalesce(wake_at, :now + 1) FROM windlass_step WHERE seq = :seq AND name = :name),
    :now + :timeout, :now + 1) <= :now

-- 4. wait
-- Records what has come of it, or that the job waits. What is recorded already stays.
-- only if is_held
INSERT INTO windlass_step (seq, name, number, kind, fence, began_at, ended_at, wake_at, event, result)
SELECT :seq, :name, :number, iif(:is_over AND NOT :has_come, 'timeout', 'event'), :fence, :now,
    iif(:is_over OR :has_come, :now, NULL), :now + :timeout, :event,
    (SELECT value FROM windlass_sent WHERE :has_come AND windlass_sent.name = :event)
WHERE true
ON CONFLICT (seq, name) DO UPDATE SET kind = excluded.kind, fence = excluded.fence, ended_at = excluded.ended_at,
    result = excluded.result, is_new = 0
WHERE windlass_step.ended_at IS NULL

-- 5. renew
-- A job that gets on has its budget of attempts anew.
-- only if is_held
UPDATE windlass_job SET has_steps = 1, attempt = 0, crashes = 0, rescues = 0
WHERE seq = :seq AND (has_steps = 0 OR attempt <> 0 OR crashes <> 0 OR rescues <> 0)

-- 6. outcome
-- gives outcome
SELECT kind, ended_at IS NOT NULL, wake_at - :now, result FROM windlass_step
WHERE :is_held AND seq = :seq AND name = :name
