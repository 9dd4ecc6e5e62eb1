-- Stores the edges of new jobs, and puts these where they wait. A parent that is stored by the same call cannot end before
-- the edge is seen; every other edge is to be looked at, and locks nothing. A parent that has ended counts at once. Needs clock,
-- there, kept, winner and stored. One that was not stored because of its unique key is the job that holds it: another
-- of this call (winner), or one that was here before (kept). Gives settled, what became of jobs that need not wait: rows (seq, state).
, wanted_edge AS MATERIALIZED (
    SELECT ({edges.child}) COLLATE "C" AS child, CAST({edges.place} AS integer) AS place,
        ({edges.parent}) COLLATE "C" AS parent, ({edges.parent_key}) COLLATE "C" AS parent_key, {edges.policy} AS policy
    FROM jsonb_array_elements(CAST(:edges AS jsonb))
), edge AS (
    INSERT INTO windlass_edge (child, place, parent, policy, state)
    SELECT child.seq, wanted.place, coalesce(own.seq, known.seq), wanted.policy,
        CASE WHEN own.seq IS NULL THEN 0 ELSE 1 END
    FROM wanted_edge AS wanted JOIN stored AS child ON child.id = wanted.child
    LEFT JOIN winner ON winner.key = wanted.parent_key AND wanted.parent NOT IN (SELECT id FROM there)
    LEFT JOIN stored AS own ON own.id = coalesce(winner.id, wanted.parent)
    LEFT JOIN LATERAL (
        SELECT job.seq FROM windlass_job AS job
        WHERE own.seq IS NULL AND job.id = coalesce(
            (SELECT there.id FROM there WHERE there.id = wanted.parent),
            (SELECT kept.id FROM kept WHERE kept.key = wanted.parent_key), wanted.parent)
        OFFSET 0) AS known ON true
    RETURNING child, state
), wanted_member AS MATERIALIZED (
    SELECT ({members.callback}) COLLATE "C" AS callback, CAST({members.place} AS integer) AS place,
        ({members.member}) COLLATE "C" AS member, ({members.member_key}) COLLATE "C" AS member_key
    FROM jsonb_array_elements(CAST(:members AS jsonb))
), member AS (
    INSERT INTO windlass_member (callback, place, member)
    SELECT callback.seq, wanted.place, coalesce(own.seq, known.seq)
    FROM wanted_member AS wanted JOIN stored AS callback ON callback.id = wanted.callback
    LEFT JOIN winner ON winner.key = wanted.member_key AND wanted.member NOT IN (SELECT id FROM there)
    LEFT JOIN stored AS own ON own.id = coalesce(winner.id, wanted.member)
    LEFT JOIN LATERAL (
        SELECT job.seq FROM windlass_job AS job
        WHERE own.seq IS NULL AND job.id = coalesce(
            (SELECT there.id FROM there WHERE there.id = wanted.member),
            (SELECT kept.id FROM kept WHERE kept.key = wanted.member_key), wanted.member)
        OFFSET 0) AS known ON true
    RETURNING callback, place, member
), watch AS (
    -- The callback waits for the first member, which cannot have ended if it is stored by the same call.
    INSERT INTO windlass_edge (child, place, parent, policy, state, watched)
    SELECT callback.seq, -1, member.member, {groups.policy},
        CASE WHEN EXISTS (SELECT 1 FROM stored AS own WHERE own.seq = member.member) THEN 1 ELSE 0 END, 0
    FROM jsonb_array_elements(CAST(:groups AS jsonb)) JOIN stored AS callback ON callback.id = ({groups.callback}) COLLATE "C"
    JOIN member ON member.callback = callback.seq AND member.place = 0
    RETURNING child, state
), further AS MATERIALIZED (
    SELECT windlass_add_members(wanted.callback, wanted.members) FROM (
        SELECT callback.seq AS callback, array_agg(found.seq ORDER BY found.place) AS members FROM (
            SELECT added.callback, added.place, coalesce(own.seq, known.seq) AS seq FROM (
                SELECT ({added.callback}) COLLATE "C" AS callback, CAST({added.place} AS integer) AS place,
                    ({added.member}) COLLATE "C" AS member, ({added.member_key}) COLLATE "C" AS member_key
                FROM jsonb_array_elements(CAST(:added AS jsonb))) AS added
            LEFT JOIN winner ON winner.key = added.member_key AND added.member NOT IN (SELECT id FROM there)
            LEFT JOIN stored AS own ON own.id = coalesce(winner.id, added.member)
            LEFT JOIN LATERAL (
                SELECT job.seq FROM windlass_job AS job
                WHERE own.seq IS NULL AND job.id = coalesce(
                    (SELECT there.id FROM there WHERE there.id = added.member),
                    (SELECT kept.id FROM kept WHERE kept.key = added.member_key), added.member)
                OFFSET 0) AS known ON true) AS found
        -- LATERAL, and OFFSET 0, so that a plan that was made for empty tables does not read large ones
        CROSS JOIN LATERAL (SELECT job.seq FROM windlass_job AS job WHERE job.id = found.callback OFFSET 0) AS callback
        WHERE EXISTS (SELECT 1 FROM passed) GROUP BY callback.seq) AS wanted
), held_back AS (
    INSERT INTO windlass_blocked (seq, since, priority, queue, start_by, gate)
    SELECT seq, run_at, priority, queue, start_by, 'parents' FROM stored WHERE waiting = 'blocked'
    RETURNING seq
), settled AS MATERIALIZED (
    SELECT found.seq, found.state FROM clock CROSS JOIN LATERAL windlass_settle_edges(
        ARRAY(
            SELECT edge.child FROM edge WHERE edge.state = 0 AND (SELECT count(*) FROM held_back) >= 0
            UNION
            SELECT watch.child FROM watch WHERE watch.state = 0
            -- those whose places are all taken, and the members of which are there
            AND (SELECT count(*) FROM held_back) + (SELECT count(*) FROM further) >= 0),
        clock.now, false) AS found
)
