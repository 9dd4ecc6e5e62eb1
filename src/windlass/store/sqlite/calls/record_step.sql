-- 1. held
-- Whether the run still has the job.
-- binds is_held
SELECT EXISTS (SELECT 1 FROM windlass_job WHERE seq = :seq AND fence = :fence AND state = 'running')

-- 2. record
-- Records a step under the run's fence. What is recorded under its name already stays: this is the same call again.
-- :delay how long a sleep takes, null for a function that has returned
-- only if is_held
INSERT INTO windlass_step (seq, name, number, kind, fence, began_at, ended_at, wake_at, result)
VALUES (:seq, :name, :number, :kind, :fence, :now - :ran_for, iif(:delay IS NULL, :now, NULL), :now + :delay, :result)
ON CONFLICT (seq, name) DO NOTHING

-- 3. renew
-- A job that gets on has its budget of attempts anew.
-- only if is_held
UPDATE windlass_job SET has_steps = 1, attempt = 0, crashes = 0, rescues = 0
WHERE seq = :seq AND (has_steps = 0 OR attempt <> 0 OR crashes <> 0 OR rescues <> 0)

-- 4. recorded
-- gives recorded
SELECT wake_at - :now FROM windlass_step WHERE :is_held AND seq = :seq AND name = :name
