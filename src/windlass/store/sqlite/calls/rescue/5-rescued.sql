-- gives rescued
SELECT windlass_job.id, state FROM json_each(:endings) AS ending JOIN windlass_job ON seq = ending.value ->> 0
WHERE fence = (ending.value ->> 1) + 1
