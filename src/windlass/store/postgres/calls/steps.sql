-- What a job has recorded, in order, with the results if :results is 1; and the time, if the job runs under this fence.
-- gives steps as json
-- gives held
WITH
-- here clock
SELECT
    (SELECT coalesce(json_agg(json_build_array({step.StepRecord;
        result = CASE WHEN CAST(:results AS integer) = 1 THEN step.result END}) ORDER BY step.number), '[]')
        FROM windlass_step AS step WHERE step.seq = CAST(:seq AS bigint)) AS steps,
    (SELECT json_agg(json_build_array(clock.now)) FROM windlass_running AS running, clock
        WHERE running.seq = CAST(:seq AS bigint) AND running.fence = CAST(:fence AS bigint)) AS held
