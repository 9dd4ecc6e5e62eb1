-- Counts failures of tasks by cause, and begins a cool-down of each task of which one cause has too many in its window.
-- :failures rows (Failures) as given
-- :slices of how many slices a window consists; :kept how many counts of a task there may be
-- gives tripped
WITH
-- here clock
, failing AS MATERIALIZED (
    SELECT {given.Failures; cast numbers as bigint; named}, clock.now,
        clock.now - clock.now % greatest(1, CAST({given.within} AS bigint) / CAST(:slices AS bigint)) AS slice
    FROM clock, jsonb_array_elements(CAST(:failures AS jsonb)) AS given (value)
), forgotten AS (
    -- What the window of a task has left behind.
    DELETE FROM windlass_failure_count AS counted USING failing
    WHERE counted.task = failing.task AND counted.at <= failing.now - failing.within
), last AS MATERIALIZED (
    SELECT cooldown.name, cooldown.began_at, cooldown.ends_at, cooldown.run FROM windlass_cooldown AS cooldown
    WHERE cooldown.scope = 'task' AND cooldown.name = ANY (ARRAY(SELECT failing.task FROM failing))
), counted AS (
    INSERT INTO windlass_failure_count AS stored (task, cause, at, number)
    SELECT failing.task, failing.cause, failing.slice, failing.number FROM failing
    -- Not while the task cools down: that belongs to the same trouble.
    WHERE NOT EXISTS (
        SELECT 1 FROM last
        WHERE last.name = failing.task AND last.began_at <= failing.now AND failing.now < last.ends_at)
    AND (
        CAST(:kept AS bigint) > (
            SELECT count(*) FROM windlass_failure_count AS known WHERE known.task = failing.task)
        OR EXISTS (
            SELECT 1 FROM windlass_failure_count AS known
            WHERE known.task = failing.task AND known.cause = failing.cause))
    -- In one order, so that two workers never wait for each other.
    ORDER BY failing.task, failing.cause
    ON CONFLICT (task, cause, at) DO UPDATE SET number = stored.number + excluded.number
    RETURNING stored.task, stored.cause, stored.at, stored.number
), tripping AS MATERIALIZED (
    -- Where a cause has too many failures since the last cool-down began, or goes on right after the one that it has
    -- caused. Of two causes of a task one is enough.
    SELECT DISTINCT ON (failing.task) failing.* FROM failing LEFT JOIN last ON last.name = failing.task
    WHERE failing.most <= (
        SELECT sum(found.number) FROM (
            SELECT counted.at, counted.number FROM counted
            WHERE counted.task = failing.task AND counted.cause = failing.cause
            UNION ALL
            -- The other slices, which this call does not change.
            SELECT known.at, known.number FROM windlass_failure_count AS known
            WHERE known.task = failing.task AND known.cause = failing.cause AND known.at <> failing.slice
            AND known.at > failing.now - failing.within) AS found
        WHERE found.at >= coalesce(last.began_at, 0))
    OR (last.run = 'trip:' || failing.cause AND last.ends_at <= failing.now
        AND failing.now < last.ends_at + failing.within)
    ORDER BY failing.task, failing.cause
)
INSERT INTO windlass_cooldown AS stored (scope, name, began_at, ends_at, run, job, reason)
SELECT 'task', task, now, now + rest, 'trip:' || cause, job, reason FROM tripping ORDER BY task
ON CONFLICT (scope, name) DO UPDATE SET
    began_at = excluded.began_at, ends_at = excluded.ends_at, run = excluded.run, job = excluded.job,
    reason = excluded.reason
WHERE NOT (stored.began_at <= excluded.began_at AND excluded.began_at < stored.ends_at)
RETURNING stored.name, substr(stored.run, 6), stored.ends_at - stored.began_at
