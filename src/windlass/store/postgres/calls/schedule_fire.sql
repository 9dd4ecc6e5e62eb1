-- Takes one step with each schedule that has the revision that the leader has seen: its job, its rows of the ledger and
-- its advance.
-- :steps rows (FireStep) as step
-- :jobs rows (NewJob)
-- :keys rows (id, key, until, window) as keyed
-- guard stale
-- gives taken
--
-- As in enqueue all is decided from the moment at which the statement began, and what has changed since makes it fail with
-- 'windlass: try again'. It waits for nothing that a caller's transaction may hold: a schedule or a limited queue that
-- another has in hand is passed by, and so is a queue that another is making. Only a unique key that another transaction
-- has taken and not committed cannot be seen: there it gives up soon, and the caller asks for the other schedules alone.
-- Locks are taken in the order schedules, queues, keys, jobs: each part counts the one before it.
WITH
-- here clock
, patience AS MATERIALIZED (
    SELECT set_config('lock_timeout', '20ms', true) AS set
), lead AS MATERIALIZED (
    SELECT 1 FROM patience, clock, windlass_leader AS leader
    WHERE leader.duty = :duty AND leader.holder = :holder AND leader.term = CAST(:term AS bigint)
    AND leader.renewed_at - leader.ttl <= clock.now AND clock.now < leader.renewed_at + leader.ttl
    AND patience.set IS NOT NULL
), step AS MATERIALIZED (
    SELECT place, {step.FireStep; named; cast numbers as bigint; cast missed as integer;
        name = ({step.name}) COLLATE "C"; job = ({step.job}) COLLATE "C"}
    FROM jsonb_array_elements(CAST(:steps AS jsonb)) WITH ORDINALITY AS step (value, place)
    WHERE EXISTS (SELECT 1 FROM lead)
),
-- here new_jobs
, keyed AS MATERIALIZED (
    SELECT ({keyed.id}) COLLATE "C" AS id, ({keyed.key}) COLLATE "C" AS key, {keyed.until} AS until,
        CAST({keyed.window} AS bigint) AS held_for
    FROM jsonb_array_elements(CAST(:keys AS jsonb)) AS keyed
), locked AS MATERIALIZED (
    SELECT step.*, schedule.last_job, schedule.held_at, schedule.held_for, schedule.fires
    FROM windlass_schedule AS schedule JOIN step
    ON schedule.name = step.name AND schedule.revision = step.revision
    ORDER BY schedule.name
    FOR UPDATE OF schedule SKIP LOCKED
), seen AS MATERIALIZED (
    SELECT locked.*, coalesce(locked.held_for = 'overlap', false) AS is_buffering,
        locked.was_held = 0 AND (
            SELECT true FROM windlass_fire AS fire
            WHERE fire.schedule = locked.name AND fire.planned_at = locked.slot) IS NOT NULL AS is_repeated,
        locked.overlap <> 'allow' AND coalesce((
            SELECT record.state NOT IN ('completed', 'failed', 'cancelled') FROM windlass_record AS record
            WHERE record.id = locked.last_job), false) AS is_alive
    FROM locked
), judged AS MATERIALIZED (
    -- While one slot is kept back, a later one does not get ahead of it.
    SELECT seen.*, CASE
        WHEN is_repeated THEN 'repeated'
        WHEN job IS NULL THEN 'noted'
        WHEN NOT is_alive AND NOT (overlap = 'buffer' AND is_buffering AND was_held = 0) THEN 'made'
        WHEN overlap = 'skip' THEN 'overlap'
        WHEN was_held = 1 THEN 'stays'
        WHEN is_buffering THEN 'overlap'
        ELSE 'held' END AS verdict
    FROM seen
),
-- here held_keys (keys = keyed)
, unheld AS MATERIALIZED (
    -- The first of the call's jobs to name a free key takes it.
    SELECT wanted.place, wanted.job, wanted.queue FROM (
        SELECT judged.place, judged.job, given.queue, given.unique_key,
            row_number() OVER (PARTITION BY given.unique_key ORDER BY judged.place) AS turn
        FROM judged JOIN given ON given.id = judged.job WHERE judged.verdict = 'made') AS wanted
    WHERE wanted.unique_key IS NULL OR (wanted.turn = 1 AND wanted.unique_key NOT IN (SELECT kept.key FROM kept))
), queue AS MATERIALIZED (
    -- Only queues with a limit are counted, and no further than to the limit.
    SELECT queue.name, queue.max_length, queue.stored,
        -- here queue_length (queue = queue.name, most = queue.max_length)
        AS waiting
    FROM windlass_queue AS queue
    WHERE queue.name IN (SELECT unheld.queue FROM unheld) AND queue.max_length IS NOT NULL
), limited AS MATERIALIZED (
    -- A lock reads the newest row, so stored tells whether others have enqueued since this statement counted.
    SELECT locked.name, locked.stored FROM windlass_queue AS locked
    WHERE locked.name = ANY (ARRAY(SELECT queue.name FROM queue)) ORDER BY locked.name
    FOR UPDATE SKIP LOCKED
), missing AS MATERIALIZED (
    -- enqueue holds the lock in shared mode until the commit of what it makes.
    SELECT wanted.name, pg_try_advisory_xact_lock(hashtextextended('windlass_queue ' || wanted.name, 0)) AS is_ours
    FROM (SELECT DISTINCT unheld.queue AS name FROM unheld) AS wanted
    WHERE NOT EXISTS (SELECT 1 FROM windlass_queue AS queue WHERE queue.name = wanted.name)
), fitting AS MATERIALIZED (
    SELECT wanted.job, CASE
        WHEN wanted.is_limited AND NOT wanted.is_locked OR wanted.is_in_the_making THEN 'busy'
        WHEN wanted.waiting + wanted.turn > wanted.max_length THEN 'queue_full'
        ELSE 'made' END AS verdict
    FROM (
        SELECT unheld.job, queue.max_length, queue.waiting, queue.name IS NOT NULL AS is_limited,
            limited.name IS NOT NULL AS is_locked, coalesce(NOT missing.is_ours, false) AS is_in_the_making,
            row_number() OVER (PARTITION BY unheld.queue ORDER BY unheld.place) AS turn
        FROM unheld LEFT JOIN queue ON queue.name = unheld.queue LEFT JOIN limited ON limited.name = unheld.queue
        LEFT JOIN missing ON missing.name = unheld.queue) AS wanted
), taken AS MATERIALIZED (
    -- The steps that are taken, each with what becomes of it.
    SELECT judged.*, decided.final, judged.slot IS NOT NULL AND decided.final NOT IN ('stays', 'repeated') AS is_recorded
    FROM judged LEFT JOIN fitting ON fitting.job = judged.job CROSS JOIN LATERAL (
        SELECT CASE WHEN judged.verdict = 'made' THEN coalesce(fitting.verdict, 'unique') ELSE judged.verdict END
            AS final) AS decided
    WHERE decided.final <> 'busy'
), new AS MATERIALIZED (
    SELECT given.* FROM given JOIN taken ON taken.job = given.id AND taken.final = 'made'
), made AS (
    -- A queue exists from its first job on.
    INSERT INTO windlass_queue (name)
    SELECT missing.name FROM missing WHERE missing.is_ours AND missing.name IN (SELECT new.queue FROM new)
    ORDER BY missing.name
    ON CONFLICT DO NOTHING
    RETURNING 1
), counted AS (
    UPDATE windlass_queue AS queue SET stored = queue.stored + added.number
    FROM (SELECT new.queue, count(*) AS number FROM new GROUP BY new.queue) AS added
    JOIN limited ON limited.name = added.queue
    WHERE queue.name = added.queue AND (SELECT count(*) FROM made) >= 0
    RETURNING 1
), held AS (
    INSERT INTO windlass_key AS key (key, id, until, expires_at)
    SELECT keyed.key, keyed.id, keyed.until, clock.now + keyed.held_for
    FROM clock, keyed JOIN new ON new.id = keyed.id
    WHERE (SELECT count(*) FROM counted) >= 0
    ORDER BY keyed.key
    ON CONFLICT (key) DO UPDATE SET id = excluded.id, until = excluded.until, expires_at = excluded.expires_at
    -- Only the very row that was found to be free: a newer one belongs to a job that this statement cannot see.
    WHERE key.xmin = (SELECT seen.xmin FROM windlass_key AS seen WHERE seen.key = excluded.key)
    RETURNING 1
), stored AS (
-- here insert_jobs
    WHERE (SELECT count(*) FROM held) >= 0
    ORDER BY place
    RETURNING seq, id, run_at, waiting, priority, queue, start_by
),
-- here insert_waiting
, missed AS (
    -- One row of the ledger for all slots that were missed.
    INSERT INTO windlass_fire (schedule, planned_at, at, outcome, last_at, count)
    SELECT taken.name, taken.missed_from, clock.now, 'missed', taken.missed_to, taken.missed
    FROM taken, clock WHERE taken.missed > 0
    ON CONFLICT DO NOTHING
), recorded AS (
    -- The slot's own row; that of a slot that was kept back is there already.
    INSERT INTO windlass_fire (schedule, planned_at, at, outcome, reason, job)
    SELECT taken.name, taken.slot, clock.now,
        CASE taken.final WHEN 'made' THEN taken.outcome WHEN 'noted' THEN taken.outcome WHEN 'held' THEN 'buffered'
            ELSE 'skipped' END,
        CASE taken.final WHEN 'made' THEN NULL WHEN 'noted' THEN taken.reason WHEN 'held' THEN 'overlap'
            ELSE taken.final END,
        CASE taken.final WHEN 'made' THEN taken.job END
    FROM taken, clock WHERE taken.is_recorded
    ON CONFLICT (schedule, planned_at) DO UPDATE SET
        at = excluded.at, outcome = excluded.outcome, reason = excluded.reason, job = excluded.job
), pruned AS (
    -- The ledger keeps the newest rows of each schedule. Each step adds two at the most, so now and then is enough.
    DELETE FROM windlass_fire AS old USING (
        SELECT taken.name, (
            SELECT fire.planned_at FROM windlass_fire AS fire WHERE fire.schedule = taken.name
            ORDER BY fire.planned_at DESC LIMIT 1 OFFSET CAST(:kept AS bigint)) AS last
        FROM taken WHERE taken.fires % 16 < 2) AS bound
    WHERE old.schedule = bound.name AND old.planned_at <= bound.last
), advanced AS (
    -- A slot that is kept back for another reason than overlap goes with the next one.
    UPDATE windlass_schedule AS schedule SET
        revision = schedule.revision + 1, planned_at = after.planned_at, next_at = after.next_at,
        due_at = CASE WHEN after.held_at IS NULL THEN after.due_at ELSE least(after.again_at, after.due_at) END,
        last_job = coalesce(after.made, schedule.last_job), held_at = after.held_at,
        held_for = CASE WHEN after.held_at IS NOT NULL THEN after.held_for END,
        fires = schedule.fires + CAST(taken_rows AS bigint)
    FROM (
        SELECT taken.name, taken.planned_at, taken.next_at, taken.due_at, taken.again_at,
            CASE WHEN taken.final = 'made' THEN taken.job END AS made,
            CASE
                WHEN taken.final = 'held' OR (taken.final = 'noted' AND taken.outcome = 'error') THEN taken.slot
                WHEN taken.final = 'stays' OR (taken.was_held = 0 AND taken.is_buffering) THEN taken.held_at
            END AS held_at,
            CASE WHEN taken.final = 'noted' AND taken.outcome = 'error' THEN 'error'
                WHEN taken.final = 'stays' THEN taken.held_for ELSE 'overlap' END AS held_for,
            CASE WHEN taken.missed > 0 THEN 1 ELSE 0 END + CASE WHEN taken.is_recorded THEN 1 ELSE 0 END AS taken_rows
        FROM taken) AS after
    WHERE schedule.name = after.name
)
SELECT
    (SELECT '[[1]]' WHERE NOT EXISTS (SELECT 1 FROM lead)) AS stale,
    (SELECT coalesce(json_agg(json_build_array(taken.name, taken.final) ORDER BY taken.place), '[]') FROM taken) AS taken,
    CAST(CASE
        WHEN (SELECT count(*) FROM keyed JOIN new ON new.id = keyed.id) <> (SELECT count(*) FROM held)
            OR EXISTS (
                SELECT 1 FROM queue JOIN limited ON limited.name = queue.name WHERE limited.stored <> queue.stored)
        THEN 'windlass: try again'
        ELSE '0'
    END AS integer) AS again
