-- Which of them may start: those that still run under their fence.
-- only with marks
-- gives marked
SELECT seq FROM jsonb_each(:marks) AS mark JOIN windlass_job ON seq = mark.value ->> 0
WHERE fence = mark.value ->> 1 AND state = 'running'
