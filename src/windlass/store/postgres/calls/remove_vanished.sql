-- Removes what is left of jobs whose rows are gone, and leaves a notice of each. The call that met one that waited or ran
-- has taken it from there; one that was finished is taken from there here, by the first process that reports it.
-- :vanished rows (VanishedJob)
-- :by who met them
-- gives noticed
WITH
-- here clock
, met AS MATERIALIZED (
    SELECT CAST({vanished.seq} AS bigint) AS seq, {vanished.queue} AS queue, {vanished.was} AS was
    FROM jsonb_array_elements(CAST(:vanished AS jsonb))
), finished AS (
    DELETE FROM windlass_finished AS finished
    WHERE finished.seq = ANY (ARRAY(
        SELECT met.seq FROM met WHERE met.was IN ('completed', 'failed', 'cancelled')
        AND (SELECT job.seq FROM windlass_job AS job WHERE job.seq = met.seq) IS NULL))
    RETURNING finished.seq
), noticed AS MATERIALIZED (
    SELECT met.seq, met.queue, met.was FROM met
    WHERE met.was NOT IN ('completed', 'failed', 'cancelled') OR met.seq IN (SELECT finished.seq FROM finished)
), forgotten AS (
    DELETE FROM windlass_event AS event WHERE event.seq = ANY (ARRAY(SELECT noticed.seq FROM noticed))
), noted AS (
    INSERT INTO windlass_event (at, kind, worker, detail)
    SELECT clock.now, 'lost', CAST(:by AS text), json_build_object('seq', seq, 'queue', queue, 'was', was)
    FROM noticed, clock ORDER BY seq
)
SELECT seq, queue, was FROM noticed
