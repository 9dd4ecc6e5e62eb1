-- Stores jobs in the order of the call, all or none. An id or a unique key that is taken stores nothing and is
-- reported; an id that a different job has, or a queue without room, stops the whole call.
-- :jobs rows (NewJob)
-- :named rows (index, id, task, payload, key, until, window, rank, cached), one for each job with an own id, a unique key or
-- an instant; of those with the same key the one with the lowest rank counts
-- :replacing rows (Replacement), of jobs whose arguments are taken by the one that holds their key
-- :queues the names of the jobs' queues
-- :edges rows (NewEdge), of jobs that wait for others
-- :groups rows (NewGroup), whose callbacks are jobs of the call
-- :members rows (NewMember), of these groups
-- :added rows (NewMember), of groups that are stored already
-- :tied the ids of jobs that wait for others, and of the callbacks of :added
-- guard conflict
-- guard full
-- guard missing
-- guard closed
-- gives known
-- gives found
--
-- A statement sees one moment: neither what its own parts write nor what others commit after its start. So all is
-- decided from that moment first, then written; a part that meets something newer (an id, a key or a limited queue
-- that others took meanwhile) makes the statement fail with 'windlass: try again', which leaves nothing behind, and
-- the driver repeats it. Locks are taken in the order queues, keys, jobs: each part counts the one before it.
WITH
-- here clock, new_jobs
, named AS MATERIALIZED (
    SELECT CAST({named.index} AS integer) AS index, ({named.id}) COLLATE "C" AS id, {named.task} AS task,
        {named.payload} AS payload, ({named.key}) COLLATE "C" AS key, {named.until} AS until,
        CAST({named.window} AS bigint) AS held_for, CAST({named.rank} AS integer) AS rank,
        CAST({named.cached} AS bigint) AS cached_for
    FROM jsonb_array_elements(CAST(:named AS jsonb))
), there AS MATERIALIZED (
    -- OFFSET 0 as in cycle (full): a plan that was made while the tables were empty probes an index for each job.
    SELECT found.* FROM named CROSS JOIN LATERAL (
        SELECT id, task, payload, state FROM windlass_record AS record WHERE record.id = named.id OFFSET 0) AS found
), conflict AS MATERIALIZED (
    -- A job of an earlier release has no seal, so white space at the end does not count. Of an encrypted payload the
    -- beginning counts, which has the print of the call (core/encryption/text.py).
    SELECT there.id, there.task, named.index FROM named JOIN there ON there.id = named.id
    WHERE there.task <> named.task
        OR CASE WHEN substr(there.payload, 2, 11) = '"v":3,"f":"' THEN left(there.payload, 34)
            ELSE rtrim(there.payload, E' \t\n\r') END
        <> CASE WHEN substr(named.payload, 2, 11) = '"v":3,"f":"' THEN left(named.payload, 34)
            ELSE rtrim(named.payload, E' \t\n\r') END
),
-- here held_keys (keys = named)
, winner AS MATERIALIZED (
    -- One of the call's jobs that name a free key takes it. A job that exists already takes nothing again.
    SELECT DISTINCT ON (key) key, id, until, held_for, cached_for FROM named
    WHERE key IS NOT NULL AND id NOT IN (SELECT id FROM there) AND key NOT IN (SELECT key FROM kept)
    ORDER BY key, rank
), new AS MATERIALIZED (
    SELECT * FROM given
    WHERE id NOT IN (SELECT id FROM there)
    AND (unique_key IS NULL OR (unique_key, id) IN (SELECT winner.key, winner.id FROM winner))
), limited AS MATERIALIZED (
    -- Only queues with a limit are counted, and no further than to the limit.
    SELECT name, max_length, stored, (
        SELECT count(*) FROM new WHERE new.queue = queue.name
        AND (SELECT job.seq FROM windlass_job AS job WHERE job.id = new.id) IS NULL
    ) AS added,
        -- here queue_length (queue = queue.name, most = queue.max_length)
        AS waiting
    FROM windlass_queue AS queue
    WHERE max_length IS NOT NULL
    AND name = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:queues AS jsonb))))
), crowded AS MATERIALIZED (
    SELECT name, max_length FROM limited WHERE added > 0 AND waiting + added > max_length
), orphan AS MATERIALIZED (
    -- A parent is here, or among the jobs of the call.
    SELECT {edges.child} AS child, {edges.parent} AS parent FROM jsonb_array_elements(CAST(:edges AS jsonb))
    WHERE {edges.parent} NOT IN (SELECT given.id FROM given)
    AND (SELECT job.seq FROM windlass_job AS job WHERE job.id = {edges.parent}) IS NULL
    LIMIT 1
), closed AS MATERIALIZED (
    -- A group takes more members while its callback waits for one. A member that is here already was added by an earlier call.
    SELECT wanted.callback FROM (
        SELECT DISTINCT ({added.callback}) COLLATE "C" AS callback FROM jsonb_array_elements(CAST(:added AS jsonb))
        WHERE (SELECT job.seq FROM windlass_job AS job WHERE job.id = {added.member}) IS NULL OFFSET 0) AS wanted
    WHERE NOT windlass_hold_group(wanted.callback)
), passed AS MATERIALIZED (
    -- One row if no guard stops the call; whatever is written below asks for it.
    SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM conflict) AND NOT EXISTS (SELECT 1 FROM crowded)
    AND NOT EXISTS (SELECT 1 FROM orphan) AND NOT EXISTS (SELECT 1 FROM closed)
), missing AS MATERIALIZED (
    -- Said by an advisory lock until the commit, which in a caller's transaction may take its time: queue_ensure looks
    -- at it, because no other read shows a row that is not committed.
    SELECT name COLLATE "C" AS name,
        pg_advisory_xact_lock_shared(hashtextextended('windlass_queue ' || name, 0)) AS said
    FROM jsonb_array_elements_text(CAST(:queues AS jsonb)) AS wanted (name)
    WHERE EXISTS (SELECT 1 FROM passed)
    AND NOT EXISTS (SELECT 1 FROM windlass_queue AS queue WHERE queue.name = wanted.name)
), made AS (
    -- A queue exists from its first job on.
    INSERT INTO windlass_queue (name)
    SELECT name FROM missing ORDER BY name
    ON CONFLICT DO NOTHING
    RETURNING 1
), locked AS MATERIALIZED (
    -- A lock reads the newest row, so stored shows here whether others have enqueued since this statement counted.
    SELECT queue.name, queue.stored FROM windlass_queue AS queue
    WHERE queue.name = ANY (ARRAY(SELECT limited.name FROM limited WHERE added > 0))
    AND EXISTS (SELECT 1 FROM passed) AND (SELECT count(*) FROM made) >= 0
    ORDER BY queue.name
    FOR UPDATE
), counted AS (
    UPDATE windlass_queue AS queue SET stored = queue.stored + limited.added
    FROM limited JOIN locked ON locked.name = limited.name
    WHERE queue.name = limited.name
    RETURNING 1
), taken AS (
    INSERT INTO windlass_key AS key (key, id, until, expires_at, cached_for)
    SELECT winner.key, winner.id, winner.until, clock.now + winner.held_for, winner.cached_for FROM winner, clock
    WHERE EXISTS (SELECT 1 FROM passed) AND (SELECT count(*) FROM counted) >= 0
    ORDER BY winner.key
    ON CONFLICT (key) DO UPDATE SET
        id = excluded.id, until = excluded.until, expires_at = excluded.expires_at, cached_for = excluded.cached_for,
        bytes = NULL
    -- Only the very row that was found to be free: a newer one belongs to a job that this statement cannot see.
    WHERE key.xmin = (SELECT seen.xmin FROM windlass_key AS seen WHERE seen.key = excluded.key)
    RETURNING 1
), stored AS (
-- here insert_jobs
    WHERE EXISTS (SELECT 1 FROM passed) AND (SELECT count(*) FROM taken) >= 0
    ORDER BY place
    ON CONFLICT (id) DO NOTHING
    RETURNING seq, id, run_at, waiting, priority, queue, start_by
),
-- here insert_waiting
-- here replace with replacing
-- here edges with tied
, behind AS (
    -- Which job stands behind each id and each key now: the new one, or the one that was there before.
    SELECT id, state FROM there UNION SELECT id, waiting FROM stored UNION SELECT id, state FROM kept
)
SELECT
    (SELECT json_agg(json_build_array(id, task) ORDER BY index) FROM conflict) AS conflict,
    (SELECT json_agg(json_build_array(name, max_length) ORDER BY name) FROM crowded) AS full,
    (SELECT json_agg(json_build_array(child, parent)) FROM orphan) AS missing,
    (SELECT json_agg(json_build_array(callback)) FROM closed) AS closed,
    (SELECT coalesce(json_agg(json_build_array(named.index)), '[]')
        FROM named JOIN there ON there.id = named.id) AS known,
    (SELECT coalesce(json_agg(json_build_array(named.index, behind.id, behind.state)), '[]')
        FROM named LEFT JOIN there ON there.id = named.id LEFT JOIN kept ON kept.key = named.key
        LEFT JOIN winner ON winner.key = named.key
        JOIN behind ON behind.id = coalesce(there.id, kept.id, winner.id, named.id)) AS found,
    CAST(CASE
        WHEN EXISTS (SELECT 1 FROM passed) AND (
            (SELECT count(*) FROM winner) <> (SELECT count(*) FROM taken)
            OR (SELECT count(*) FROM new WHERE id IN (SELECT id FROM named))
                <> (SELECT count(*) FROM stored WHERE id IN (SELECT id FROM named))
            OR EXISTS (
                SELECT 1 FROM limited JOIN locked ON locked.name = limited.name
                WHERE locked.stored <> limited.stored)
        ) THEN 'windlass: try again'
        ELSE '0'
    END AS integer) AS again
-- here replaced with replacing
-- here settled with tied
-- here notify
