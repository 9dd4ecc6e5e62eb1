-- Stores the edges of new jobs, and puts these where they wait. A parent that is stored by the same call cannot end before
-- the edge is seen; every other edge is to be looked at, and locks nothing. A parent that has ended counts at once. Needs clock,
-- there, kept and stored. Gives settled, what became of jobs that need not wait: rows (seq, state).
, wanted_edge AS MATERIALIZED (
    SELECT ({edges.child}) COLLATE "C" AS child, CAST({edges.place} AS integer) AS place,
        ({edges.parent}) COLLATE "C" AS parent, ({edges.parent_key}) COLLATE "C" AS parent_key, {edges.policy} AS policy
    FROM jsonb_array_elements(CAST(:edges AS jsonb))
), edge AS (
    INSERT INTO windlass_edge (child, place, parent, policy, state)
    SELECT child.seq, wanted.place, coalesce(own.seq, known.seq), wanted.policy,
        CASE WHEN own.seq IS NULL THEN 0 ELSE 1 END
    FROM wanted_edge AS wanted JOIN stored AS child ON child.id = wanted.child
    LEFT JOIN stored AS own ON own.id = wanted.parent
    LEFT JOIN LATERAL (
        -- One that was not stored because of its unique key is the job that holds it.
        SELECT job.seq FROM windlass_job AS job
        WHERE own.seq IS NULL AND job.id = coalesce(
            (SELECT there.id FROM there WHERE there.id = wanted.parent),
            (SELECT kept.id FROM kept WHERE kept.key = wanted.parent_key), wanted.parent)
        OFFSET 0) AS known ON true
    RETURNING child, state
), held_back AS (
    INSERT INTO windlass_blocked (seq, since, priority, queue, start_by, gate)
    SELECT seq, run_at, priority, queue, start_by, 'parents' FROM stored WHERE waiting = 'blocked'
    RETURNING seq
), settled AS MATERIALIZED (
    SELECT found.seq, found.state FROM clock CROSS JOIN LATERAL windlass_settle_edges(
        ARRAY(SELECT DISTINCT edge.child FROM edge WHERE edge.state = 0 AND (SELECT count(*) FROM held_back) >= 0),
        clock.now, false) AS found
)
