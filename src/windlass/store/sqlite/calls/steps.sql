-- 1. steps
-- What a job has recorded, in order; with the results if :results is 1.
-- gives steps
SELECT {StepRecord; result = iif(:results, result, NULL)} FROM windlass_step WHERE seq = :seq ORDER BY number

-- 2. held
-- The time, if the job runs under this fence.
-- gives held
SELECT :now FROM windlass_job WHERE seq = :seq AND fence = :fence AND state = 'running'
