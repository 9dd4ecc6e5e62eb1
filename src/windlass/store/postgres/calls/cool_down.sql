-- Begins a cool-down, or makes one longer that lasts. Only a run that its job still carries may do that, and once.
-- gives cooling
--
-- A row that stays as it is is written too: only so does the answer show it as it stands under its lock.
WITH
-- here clock
, given AS MATERIALIZED (
    SELECT now, CAST(:chosen AS bigint) AS chosen, CAST(:base AS bigint) AS base, CAST(:longest AS bigint) AS longest,
        CAST(:quiet AS bigint) AS quiet
    FROM clock
    WHERE EXISTS (
        SELECT 1 FROM windlass_running AS running
        WHERE running.seq = CAST(:seq AS bigint) AND running.fence = CAST(:fence AS bigint))
), cooling AS (
    INSERT INTO windlass_cooldown AS stored (scope, name, began_at, ends_at, step, run, job, reason)
    SELECT CAST(:scope AS text), CAST(:name AS text), now, now + coalesce(chosen, base),
        CASE WHEN chosen IS NULL THEN base END, CAST(:run AS text), CAST(:job AS text), CAST(:reason AS text)
    FROM given
    ON CONFLICT (scope, name) DO UPDATE SET (began_at, ends_at, step, run, job, reason) = (
        SELECT CASE WHEN is_next AND NOT lasts THEN given.now ELSE stored.began_at END,
            CASE WHEN is_next THEN given.now + coalesce(given.chosen, following) ELSE stored.ends_at END,
            CASE WHEN is_next AND given.chosen IS NULL THEN following ELSE stored.step END,
            CASE WHEN is_next THEN excluded.run ELSE stored.run END,
            CASE WHEN is_next THEN excluded.job ELSE stored.job END,
            CASE WHEN is_next THEN excluded.reason ELSE stored.reason END
        FROM given CROSS JOIN LATERAL (
            SELECT stored.began_at <= given.now AND given.now < stored.ends_at AS lasts,
                -- As core/rates/cooldown.py: next_step. Numbers only halve 40 times before nothing is left of them.
                CASE WHEN stored.step IS NULL THEN given.base ELSE least(given.longest, greatest(given.base,
                    CASE WHEN given.now - stored.ends_at < given.quiet THEN 2 * stored.step
                    ELSE stored.step >> CAST(least(40, (given.now - stored.ends_at) / given.quiet) AS integer) END)
                    ) END AS following) AS known
        CROSS JOIN LATERAL (
            SELECT stored.run <> excluded.run AND (
                NOT lasts OR coalesce(stored.ends_at < given.now + given.chosen, false)) AS is_next) AS judged)
    RETURNING stored.ends_at, stored.run
)
SELECT greatest(0, cooling.ends_at - given.now), CAST(cooling.run = CAST(:run AS text) AS integer),
    CAST(CAST(:scope AS text) <> 'limit' OR EXISTS (
        SELECT 1 FROM windlass_limit AS known WHERE known.name = CAST(:name AS text)) AS integer)
FROM cooling, given
