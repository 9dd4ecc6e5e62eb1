-- 1. conflict
-- An id that a different job has already is an error of the whole call. A job of an earlier release has no seal, so
-- white space at the end does not count. Of an encrypted payload the beginning counts, which has the print of the call
-- (core/encryption/text.py).
-- :named rows (index, id, task, payload, key, until, window, rank, cached) as named
-- only with named
-- guard conflict
SELECT windlass_job.id, windlass_job.task
FROM jsonb_each(:named) AS named JOIN windlass_whole AS windlass_job ON windlass_job.id = {named.id}
WHERE windlass_job.task <> {named.task}
    OR iif(substr(windlass_job.whole_payload, 2, 11) = '"v":3,"f":"', substr(windlass_job.whole_payload, 1, 34),
        rtrim(windlass_job.whole_payload, char(32, 9, 10, 13)))
    <> iif(substr({named.payload}, 2, 11) = '"v":3,"f":"', substr({named.payload}, 1, 34),
        rtrim({named.payload}, char(32, 9, 10, 13)))

-- 2. known
-- Which ids are there already: their jobs are reported, not stored again.
-- :named rows (index, id, task, payload, key, until, window, rank, cached) as named
-- only with named
-- gives known
SELECT {named.index} FROM jsonb_each(:named) AS named
WHERE EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {named.id})

-- 3. missing
-- A parent that is neither here nor among the jobs of the call is an error of the whole call.
-- :edges rows (NewEdge) as edge
-- :jobs rows (NewJob) as jobs
-- only with edges
-- guard missing
SELECT {edge.child}, {edge.parent} FROM jsonb_each(:edges) AS edge
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {edge.parent})
AND {edge.parent} NOT IN (SELECT {jobs.id} FROM jsonb_each(:jobs) AS jobs)
LIMIT 1

-- 4. new edges
-- Those of jobs that are not here yet: what an earlier call has stored keeps the edges that it got.
-- :edges rows (NewEdge) as edge
-- only with edges
-- binds new_edges
SELECT json_group_array(json(edge.value)) FROM json_each(:edges) AS edge
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {edge.child})

-- 5. closed
-- A group takes more members while its callback waits for one. A member that is here already was added by an earlier call.
-- :added rows (NewMember) as member
-- only with added
-- guard closed
SELECT {member.callback} FROM jsonb_each(:added) AS member
WHERE NOT EXISTS (
    SELECT 1 FROM windlass_job AS callback CROSS JOIN windlass_edge AS edge ON edge.child = callback.seq
    WHERE callback.id = {member.callback} AND callback.state = 'blocked' AND callback.gate = 'parents'
    AND edge.place = -1 AND edge.state < 2)
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {member.member})
LIMIT 1

-- 6. new groups
-- Those whose callbacks are not here yet.
-- :groups rows (NewGroup) as fresh
-- only with groups
-- binds new_groups
SELECT json_group_array(json(fresh.value)) FROM json_each(:groups) AS fresh
WHERE NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {fresh.callback})

-- 7. queue
-- A queue exists from its first job on.
INSERT INTO windlass_queue (name) SELECT value FROM jsonb_each(:queues) WHERE true ON CONFLICT DO NOTHING

-- 8. forget
-- :named rows (index, id, task, payload, key, until, window, rank, cached) as named
-- only with named
-- here free_keys (keys = SELECT {named.key} FROM jsonb_each(:named) AS named)

-- 9. key
-- Of the call's jobs that name a free key the one with the lowest rank takes it. A job that exists already takes nothing
-- again.
-- :named rows (index, id, task, payload, key, until, window, rank, cached) as named
-- only with named
INSERT INTO windlass_key (key, id, until, expires_at, cached_for)
SELECT {named.key}, {named.id}, {named.until}, :now + ({named.window}), {named.cached} FROM jsonb_each(:named) AS named
WHERE {named.key} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = {named.id})
ORDER BY {named.rank}
ON CONFLICT DO NOTHING

-- 10. full
-- Nothing of the call is stored if one of its queues has not enough room for what the call would add to it.
-- Only queues with a limit are counted, and the limit itself bounds what there is to count.
-- :jobs rows (NewJob) as jobs
-- guard full
SELECT name, max_length FROM (
    SELECT name, max_length, (
        -- what insert is going to add: neither its id nor its key is another job's
        SELECT count(*) FROM jsonb_each(:jobs) AS jobs
        WHERE {jobs.queue} = windlass_queue.name
        AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE id = {jobs.id})
        AND ({jobs.unique_key} IS NULL
            OR {jobs.id} = (SELECT id FROM windlass_key WHERE windlass_key.key = {jobs.unique_key}))
    ) AS added,
        -- here queue_length (queue = windlass_queue.name)
    AS waiting
    FROM windlass_queue
    WHERE max_length IS NOT NULL AND name IN (SELECT value FROM jsonb_each(:queues)))
WHERE added > 0 AND waiting + added > max_length

-- 11. replacement
-- Which jobs take the arguments of new ones, and for moves their times as well: those that hold the key and wait for
-- their first attempt. One that is blocked becomes pending, and the next claim finds out what it waits for;
-- one that waits for parents stays as it is. A new job whose id is there was stored by an earlier call, and changes nothing. Before the
-- insert: a key that was free has no job yet.
-- A time that lies behind max_wait already is not brought forward by it.
-- :replacing rows (Replacement) as new
-- only with replacing
-- binds replaced
SELECT json_group_array(json_array(seq, source, payload,
    CASE WHEN moves = 0 THEN run_at WHEN due_at > :now THEN due_at WHEN state = 'scheduled' THEN :now ELSE run_at END,
    CASE WHEN moves = 1 AND due_at > :now THEN 'scheduled' WHEN moves = 0 AND state = 'scheduled' THEN 'scheduled'
        ELSE 'pending' END, concurrency_key, rate_key))
FROM (
    SELECT seq, source, payload, run_at, state, moves, concurrency_key, rate_key,
        iif(max_wait IS NULL, due_at, min(due_at, max(created_at + max_wait, run_at))) AS due_at
    FROM (
        SELECT holder.seq, holder.run_at, holder.state, holder.created_at, {new.id} AS source, {new.payload} AS payload,
            iif(holder.promised = 1, 0, {new.moves}) AS moves, {new.max_wait} AS max_wait,
            {new.concurrency_key} AS concurrency_key, {new.rate_key} AS rate_key,
            coalesce({new.at}, :now + ({new.delay})) AS due_at,
            -- the other columns are those of the row with the lowest
            min({new.rank})
        FROM jsonb_each(:replacing) AS new JOIN windlass_key ON windlass_key.key = {new.unique_key}
        JOIN windlass_job AS holder ON holder.id = windlass_key.id
        WHERE holder.task = {new.task} AND holder.attempt = 0 AND holder.has_steps = 0
        AND holder.state IN ('pending', 'scheduled', 'blocked') AND holder.gate IS NOT 'parents'
        -- one that holds its concurrency key is about to run: it takes arguments of the same key, but no other time
        AND (holder.promised <> 1 OR holder.concurrency_key IS {new.concurrency_key})
        AND NOT EXISTS (SELECT 1 FROM windlass_job AS own WHERE own.id = {new.id})
        GROUP BY holder.seq))

-- 12. insert
-- An id or a key that is taken stores nothing.
-- :jobs rows (NewJob) as jobs
-- here insert_jobs
WHERE {jobs.unique_key} IS NULL OR {jobs.id} = (SELECT id FROM windlass_key WHERE windlass_key.key = {jobs.unique_key})
ORDER BY jobs.key
ON CONFLICT (id) DO NOTHING

-- 13. edges
-- A parent that has ended counts at once. One that was not stored because of its unique key is the job that holds it.
-- :new_edges rows (NewEdge) as edge
-- only with edges
INSERT INTO windlass_edge (child, place, parent, policy, state)
SELECT child.seq, {edge.place}, parent.seq, {edge.policy}, CASE
    WHEN parent.state = 'completed' THEN 2
    WHEN parent.state IN ('failed', 'cancelled') THEN CASE {edge.policy} WHEN 'run' THEN 2 WHEN 'wait' THEN 1 ELSE 0 END
    ELSE 1 END
FROM jsonb_each(:new_edges) AS edge
CROSS JOIN windlass_job AS child ON child.id = {edge.child} AND child.state = 'blocked'
CROSS JOIN windlass_job AS parent ON parent.id = coalesce(
    (SELECT id FROM windlass_job WHERE id = {edge.parent}),
    (SELECT id FROM windlass_key WHERE windlass_key.key = {edge.parent_key}))

-- 14. members
-- One that was not stored because of its unique key is the job that holds it.
-- :members rows (NewMember) as member
-- :new_groups rows (NewGroup) as fresh
-- only with groups
INSERT INTO windlass_member (callback, place, member)
SELECT callback.seq, {member.place}, found.seq FROM jsonb_each(:members) AS member
CROSS JOIN windlass_job AS callback ON callback.id = {member.callback}
CROSS JOIN windlass_job AS found ON found.id = coalesce(
    (SELECT id FROM windlass_job WHERE id = {member.member}),
    (SELECT id FROM windlass_key WHERE windlass_key.key = {member.member_key}))
WHERE {member.callback} IN (SELECT {fresh.callback} FROM jsonb_each(:new_groups) AS fresh)

-- 15. further members
-- Behind the others; one that is a member already is not added again.
-- :added rows (NewMember) as member
-- only with added
INSERT INTO windlass_member (callback, place, member)
SELECT callback.seq,
    (SELECT max(last.place) FROM windlass_member AS last WHERE last.callback = callback.seq) + 1 + {member.place}, found.seq
FROM jsonb_each(:added) AS member
CROSS JOIN windlass_job AS callback ON callback.id = {member.callback}
CROSS JOIN windlass_job AS found ON found.id = coalesce(
    (SELECT id FROM windlass_job WHERE id = {member.member}),
    (SELECT id FROM windlass_key WHERE windlass_key.key = {member.member_key}))
WHERE NOT EXISTS (
    SELECT 1 FROM windlass_member AS own WHERE own.member = found.seq AND own.callback = callback.seq)

-- 16. watched
-- The callback waits for the first member; the next statements look whether it has to.
-- :new_groups rows (NewGroup) as fresh
-- only with groups
INSERT INTO windlass_edge (child, place, parent, policy, state, watched)
SELECT callback.seq, -1, own.member, {fresh.policy}, 0, own.place FROM jsonb_each(:new_groups) AS fresh
CROSS JOIN windlass_job AS callback ON callback.id = {fresh.callback} AND callback.state = 'blocked'
CROSS JOIN windlass_member AS own ON own.callback = callback.seq AND own.place = 0

-- 17. unsettled
-- The new children of which a parent has ended, and of which none is awaited.
-- only with tied
-- binds unsettled
SELECT nullif(json_group_array(seq), '[]') FROM (
    SELECT DISTINCT child.seq FROM jsonb_each(:tied) AS tied
    CROSS JOIN windlass_job AS child ON child.id = tied.value AND child.state = 'blocked' AND child.gate = 'parents'
    WHERE EXISTS (SELECT 1 FROM windlass_edge AS open WHERE open.child = child.seq AND open.state = 0)
    OR NOT EXISTS (SELECT 1 FROM windlass_edge AS open WHERE open.child = child.seq AND open.state < 2))

-- here settle_edges

-- 18. replace
-- A large payload lies apart, as the table says.
-- :replaced rows (seq, source, payload, run_at, state, key, rate_key) as taken
-- only with replacing
UPDATE windlass_job SET
    payload = iif(length({taken.payload}) > 1024, '{"v":2,"payload":"apart"}', {taken.payload}),
    -- the expiry counts from the new time, where there is one
    start_by = iif(start_by IS NULL OR run_at = {taken.run_at}, start_by, ({taken.run_at}) + expires),
    run_at = {taken.run_at}, state = {taken.state}, gate = NULL, reason = iif(state = 'blocked', NULL, reason),
    concurrency_key = {taken.key}, rate_key = {taken.rate_key}, promised = promised = 1
FROM jsonb_each(:replaced) AS taken WHERE windlass_job.seq = {taken.seq}

-- 19. payload apart
-- :replaced rows (seq, source, payload, run_at, state, key, rate_key) as taken
-- only with replacing
INSERT INTO windlass_payload (seq, size, payload)
SELECT {taken.seq}, length(CAST({taken.payload} AS BLOB)), {taken.payload} FROM jsonb_each(:replaced) AS taken
WHERE length({taken.payload}) > 1024
ON CONFLICT (seq) DO UPDATE SET size = excluded.size, payload = excluded.payload

-- 20. payload not apart any more
-- :replaced rows (seq, source, payload, run_at, state, key, rate_key) as taken
-- only with replacing
DELETE FROM windlass_payload WHERE seq IN (
    SELECT {taken.seq} FROM jsonb_each(:replaced) AS taken WHERE length({taken.payload}) <= 1024)

-- 21. count
-- One event for each job, however often it is replaced.
-- :replaced rows (seq, source, payload, run_at, state, key, rate_key) as taken
-- only with replacing
UPDATE windlass_event SET at = :now, detail = json_object('times', json_extract(detail, '$.times') + 1)
WHERE kind = 'replaced' AND seq IN (SELECT {taken.seq} FROM jsonb_each(:replaced) AS taken)

-- 22. first event
-- :replaced rows (seq, source, payload, run_at, state, key, rate_key) as taken
-- only with replacing
INSERT INTO windlass_event (seq, at, kind, detail)
SELECT {taken.seq}, :now, 'replaced', json_object('times', 1) FROM jsonb_each(:replaced) AS taken
WHERE NOT EXISTS (SELECT 1 FROM windlass_event AS event WHERE event.seq = {taken.seq} AND event.kind = 'replaced')

-- 23. replaced
-- Which of the new jobs gave their arguments to another, and how that one waits now.
-- :replaced rows (seq, source, payload, run_at, state, key, rate_key) as taken
-- only with replacing
-- gives replaced
SELECT {taken.source}, {taken.state} FROM jsonb_each(:replaced) AS taken

-- 24. found
-- Which job stands behind each explicit id or unique key now: the new one, or the one that was there before.
-- :named rows (index, id, task, payload, key, until, window, rank, cached) as named
-- only with named
-- gives found
SELECT {named.index}, windlass_job.id, windlass_job.state
FROM jsonb_each(:named) AS named JOIN windlass_job ON windlass_job.id = coalesce(
    (SELECT id FROM windlass_job WHERE id = {named.id}),
    (SELECT id FROM windlass_key WHERE windlass_key.key = {named.key}))
