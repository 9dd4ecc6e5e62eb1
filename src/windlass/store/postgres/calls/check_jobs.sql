-- What of these jobs contradicts itself, only read.
-- gives found
WITH job AS MATERIALIZED (
    SELECT job.* FROM jsonb_array_elements_text(CAST(:seqs AS jsonb)) AS asked (seq) CROSS JOIN LATERAL (
        SELECT * FROM windlass_job WHERE windlass_job.seq = CAST(asked.seq AS bigint) OFFSET 0) AS job
), place AS MATERIALIZED (
    SELECT job.seq,
        (SELECT count(*) FROM windlass_ready AS ready
            WHERE ready.queue = job.queue AND ready.suspect = ANY (ARRAY[false, true])
            AND ready.priority = job.priority AND ready.since = job.run_at AND ready.seq = job.seq) AS ready,
        (SELECT count(*) FROM windlass_due AS due WHERE due.run_at = job.run_at AND due.seq = job.seq) AS due,
        (SELECT count(*) FROM windlass_blocked AS blocked WHERE blocked.seq = job.seq) AS blocked,
        (SELECT count(*) FROM windlass_running AS running WHERE running.seq = job.seq) AS running,
        (SELECT count(*) FROM windlass_finished AS finished WHERE finished.seq = job.seq) AS finished
    FROM job
)
SELECT place.seq, 'no_place', job.waiting FROM place JOIN job ON job.seq = place.seq
WHERE place.ready + place.due + place.blocked + place.running + place.finished = 0
UNION ALL
SELECT place.seq, 'two_places', concat_ws(' ', CASE WHEN place.ready > 0 THEN 'ready' END,
    CASE WHEN place.due > 0 THEN 'due' END, CASE WHEN place.blocked > 0 THEN 'blocked' END,
    CASE WHEN place.running > 0 THEN 'running' END, CASE WHEN place.finished > 0 THEN 'finished' END)
FROM place WHERE place.ready + place.due + place.blocked + place.running + place.finished > 1
UNION ALL
SELECT running.seq, 'no_lease', running.lease FROM job CROSS JOIN LATERAL (
    SELECT * FROM windlass_running WHERE windlass_running.seq = job.seq OFFSET 0) AS running
WHERE (SELECT lease.id FROM windlass_lease AS lease WHERE lease.id = running.lease) IS NULL
UNION ALL
SELECT job.seq, 'no_edges', job.reason FROM job CROSS JOIN LATERAL (
    SELECT gate FROM windlass_blocked WHERE windlass_blocked.seq = job.seq OFFSET 0) AS blocked
WHERE blocked.gate = 'parents'
AND (SELECT edge.child FROM windlass_edge AS edge WHERE edge.child = job.seq AND edge.state < 2 LIMIT 1) IS NULL
UNION ALL
-- One that waits for a person, as its policy says, is in order.
SELECT edge.child, 'stale_edge', coalesce(
    (SELECT parent.id FROM windlass_job AS parent WHERE parent.seq = edge.parent), CAST(edge.parent AS text))
FROM (
    SELECT edge.child, edge.parent, edge.policy, coalesce(
        (SELECT finished.state FROM windlass_finished AS finished WHERE finished.seq = edge.parent),
        (SELECT 'alive' FROM windlass_job AS parent WHERE parent.seq = edge.parent), 'gone') AS state
    FROM job CROSS JOIN LATERAL (
        SELECT * FROM windlass_edge WHERE windlass_edge.child = job.seq AND windlass_edge.state = 1 OFFSET 0) AS edge
    WHERE (SELECT blocked.gate FROM windlass_blocked AS blocked WHERE blocked.seq = job.seq) = 'parents') AS edge
WHERE edge.state = 'completed' OR (edge.policy <> 'wait' AND edge.state <> 'alive')
UNION ALL
SELECT job.seq, 'no_tag', tag.name FROM job
CROSS JOIN LATERAL regexp_matches(job.tags, '"([^"]+)"', 'g') AS found (texts)
CROSS JOIN LATERAL (SELECT found.texts[1] AS name) AS tag
WHERE job.tags IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM windlass_tag AS tagged WHERE tagged.tag = tag.name AND tagged.seq = job.seq)
