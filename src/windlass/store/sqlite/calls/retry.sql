-- 1. taken
-- Jobs that could be retried but for their unique key, which another one holds now: they stay as they are.
-- gives taken
SELECT windlass_job.seq, windlass_key.id
FROM windlass_job JOIN windlass_key ON windlass_key.key = windlass_job.unique_key AND windlass_key.id <> windlass_job.id
WHERE windlass_job.seq IN (SELECT value FROM jsonb_each(:seqs))
AND windlass_job.state IN (SELECT value FROM jsonb_each(:states))
AND (windlass_job.state <> 'blocked' OR windlass_job.gate = 'parents')
AND (expires_at IS NULL OR expires_at > :now)
AND EXISTS (
    SELECT 1 FROM windlass_job AS holder
    WHERE holder.id = windlass_key.id AND (windlass_key.until <> 'started'
        OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))

-- 2. note
-- Says who retries what retry is going to change (the same conditions).
INSERT INTO windlass_event (seq, at, kind, fence, detail)
SELECT seq, :now, 'retried', fence, json_object('by', :by, 'from', state, 'reason', reason)
FROM windlass_job
WHERE seq IN (SELECT value FROM jsonb_each(:seqs)) AND state IN (SELECT value FROM jsonb_each(:states))
AND (state <> 'blocked' OR gate = 'parents')
AND NOT EXISTS (
    SELECT 1 FROM windlass_key JOIN windlass_job AS holder ON holder.id = windlass_key.id
    WHERE windlass_key.key = windlass_job.unique_key AND holder.id <> windlass_job.id
    AND (expires_at IS NULL OR expires_at > :now)
    AND (until <> 'started' OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))

-- 3. retry
-- Runs jobs again by hand, with a fresh budget of attempts; their history of errors stays. The key is not taken again.
-- One that waits for other jobs runs now; one that waits for a key or a rate stays as it is.
-- :states are those that both the caller and the table of transitions allow
-- :delay, :gap in how many milliseconds the first of :seqs is to run, and how many lie between two of them
-- gives retried
UPDATE windlass_job SET
    state = iif(turn.run_at > :now, 'scheduled', 'pending'), reason = NULL, queue = coalesce(:queue, queue), attempt = 0, crashes = 0, rescues = 0,
    run_at = turn.run_at, cause = NULL,
    -- one that has never started gets its time anew
    start_by = iif(started_at IS NULL AND start_by IS NOT NULL, turn.run_at + expires, NULL),
    finished_at = NULL, cancel_requested_at = NULL, unknown_at = NULL, result = NULL, progress = NULL,
    promised = 0, gate = NULL
FROM (
    SELECT value AS number, CAST(:now + :delay + min(key) * :gap AS INTEGER) AS run_at FROM jsonb_each(:seqs) GROUP BY value
) AS turn
WHERE seq = turn.number AND state IN (SELECT value FROM jsonb_each(:states))
AND (state <> 'blocked' OR gate = 'parents')
AND NOT EXISTS (
    SELECT 1 FROM windlass_key JOIN windlass_job AS holder ON holder.id = windlass_key.id
    WHERE windlass_key.key = windlass_job.unique_key AND holder.id <> windlass_job.id
    AND (expires_at IS NULL OR expires_at > :now)
    AND (until <> 'started' OR (holder.state <> 'running' AND holder.attempt = 0 AND holder.started_at IS NULL)))
RETURNING seq

-- 4. queue
-- The other queue, where one was named, exists from now on.
INSERT INTO windlass_queue (name) SELECT :queue WHERE :queue IS NOT NULL ON CONFLICT DO NOTHING

-- 5. waited
-- Those that waited for others do not any more.
UPDATE windlass_edge SET state = 2 WHERE state < 2 AND child IN (SELECT value FROM jsonb_each(:seqs))
AND EXISTS (SELECT 1 FROM windlass_job AS child WHERE child.seq = windlass_edge.child AND child.state <> 'blocked')

-- 6. members
-- A member of a group that waits again is waited for: the callback watches it, if it watched one behind it.
UPDATE windlass_edge SET watched = again.place, parent = again.member, state = 0
FROM (
    -- the other columns are those of the row with the lowest place
    SELECT own.callback, own.member, min(own.place) AS place FROM jsonb_each(:seqs) AS retried
    CROSS JOIN windlass_job AS job ON job.seq = retried.value AND job.state IN ('pending', 'scheduled')
    CROSS JOIN windlass_member AS own ON own.member = job.seq
    GROUP BY own.callback) AS again
WHERE windlass_edge.child = again.callback AND windlass_edge.place = -1 AND windlass_edge.state < 2
AND windlass_edge.watched > again.place

-- 7. revived
-- What was cancelled because of these jobs, and what was because of that in turn, as a JSON list; null if there is nothing.
-- binds revived
SELECT nullif(json_group_array(seq), '[]') FROM (
    WITH RECURSIVE revived (seq) AS (
        SELECT child.seq FROM jsonb_each(:seqs) AS parent
        CROSS JOIN windlass_job AS retried ON retried.seq = parent.value AND retried.state IN ('pending', 'scheduled')
        CROSS JOIN windlass_edge AS edge ON edge.parent = retried.seq AND edge.policy = 'cancel'
        CROSS JOIN windlass_job AS child ON child.seq = edge.child
        WHERE child.state = 'cancelled' AND child.reason = 'dependency'
        UNION
        SELECT child.seq FROM revived CROSS JOIN windlass_edge AS edge ON edge.parent = revived.seq AND edge.policy = 'cancel'
        CROSS JOIN windlass_job AS child ON child.seq = edge.child
        WHERE child.state = 'cancelled' AND child.reason = 'dependency')
    SELECT seq FROM revived)

-- 8. revive
-- It waits again, and promote looks at its edges. Its unique key is not taken again.
-- only if revived
UPDATE windlass_job SET state = 'blocked', reason = 'parents', gate = 'parents', finished_at = NULL
WHERE seq IN (SELECT value FROM json_each(:revived))

-- 9. edges
-- only if revived
UPDATE windlass_edge SET state = 0 WHERE child IN (SELECT value FROM json_each(:revived))
