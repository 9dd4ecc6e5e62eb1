-- 1. forget
-- What the window of a task has left behind.
-- :failures rows (Failures) as given
DELETE FROM windlass_failure_count WHERE EXISTS (
    SELECT 1 FROM jsonb_each(:failures) AS given
    WHERE {given.task} = windlass_failure_count.task AND windlass_failure_count.at <= :now - {given.within})

-- 2. count
-- Not while the task cools down: that belongs to the same trouble.
-- :failures rows (Failures) as given
-- :slices of how many slices a window consists; :kept how many counts of a task there may be
INSERT INTO windlass_failure_count (task, cause, at, number)
SELECT {given.task}, {given.cause}, :now - :now % max(1, {given.within} / :slices), {given.number}
FROM jsonb_each(:failures) AS given
WHERE NOT EXISTS (
    SELECT 1 FROM windlass_cooldown AS cooldown
    WHERE cooldown.scope = 'task' AND cooldown.name = {given.task}
    AND cooldown.began_at <= :now AND :now < cooldown.ends_at)
AND (
    (SELECT count(*) FROM windlass_failure_count AS known WHERE known.task = {given.task}) < :kept
    OR EXISTS (
        SELECT 1 FROM windlass_failure_count AS known WHERE known.task = {given.task} AND known.cause = {given.cause}))
ON CONFLICT (task, cause, at) DO UPDATE SET number = number + excluded.number

-- 3. trip
-- Begins a cool-down where a cause has too many failures since the last one began, or goes on right after the cool-down
-- that it has caused.
-- :failures rows (Failures) as given
-- gives tripped
INSERT INTO windlass_cooldown (scope, name, began_at, ends_at, run, job, reason)
SELECT 'task', {given.task}, :now, :now + {given.rest}, 'trip:' || ({given.cause}), {given.job}, {given.reason}
FROM jsonb_each(:failures) AS given
LEFT JOIN windlass_cooldown AS last ON last.scope = 'task' AND last.name = {given.task}
WHERE {given.most} <= (
    SELECT sum(counted.number) FROM windlass_failure_count AS counted
    WHERE counted.task = {given.task} AND counted.cause = {given.cause} AND counted.at > :now - {given.within}
    AND counted.at >= coalesce(last.began_at, 0))
OR (last.run = 'trip:' || ({given.cause}) AND last.ends_at <= :now AND :now < last.ends_at + {given.within})
ON CONFLICT (scope, name) DO UPDATE SET
    began_at = excluded.began_at, ends_at = excluded.ends_at, run = excluded.run, job = excluded.job,
    reason = excluded.reason
WHERE NOT (began_at <= :now AND :now < ends_at)
RETURNING name, substr(run, 6), ends_at - :now
