-- How many members of a group are in which state; null for those that are gone.
-- gives counts
SELECT job.state, count(*) FROM windlass_member AS own LEFT JOIN windlass_job AS job ON job.seq = own.member
WHERE own.callback = :seq GROUP BY job.state
