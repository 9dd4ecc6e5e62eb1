-- Removes what points at jobs that are not there, and places of ready jobs that are not theirs.
-- :strays rows (kind, name, seq)
WITH stray AS MATERIALIZED (
    SELECT {strays.kind} AS kind, {strays.name} AS name, CAST({strays.seq} AS bigint) AS seq
    FROM jsonb_array_elements(CAST(:strays AS jsonb))
), gone AS MATERIALIZED (
    SELECT * FROM stray WHERE (SELECT job.seq FROM windlass_job AS job WHERE job.seq = stray.seq) IS NULL
), tags AS (
    DELETE FROM windlass_tag AS tagged USING gone
    WHERE gone.kind = 'tag' AND tagged.tag = gone.name AND tagged.seq = gone.seq
), edges AS (
    DELETE FROM windlass_edge AS edge USING gone WHERE gone.kind = 'edge' AND edge.child = gone.seq
), steps AS (
    DELETE FROM windlass_step AS step USING gone WHERE gone.kind = 'step' AND step.seq = gone.seq
), finished AS (
    DELETE FROM windlass_finished AS finished USING gone WHERE gone.kind = 'finished' AND finished.seq = gone.seq
), ready AS (
    DELETE FROM windlass_ready AS ready USING stray
    WHERE stray.kind = 'ready' AND ready.seq = stray.seq AND ready.queue = stray.name
    AND NOT EXISTS (SELECT 1 FROM windlass_job AS job WHERE job.seq = ready.seq
        AND job.queue = ready.queue AND job.priority = ready.priority AND job.run_at = ready.since)
)
DELETE FROM windlass_blocked AS blocked USING gone WHERE gone.kind = 'blocked' AND blocked.seq = gone.seq
