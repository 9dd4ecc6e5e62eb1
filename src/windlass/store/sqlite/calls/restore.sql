-- 1. refused
-- An id that is taken, or an archive that has the job no more, ends the call. :week is null where the job does not lie in the
-- store's own archive.
-- guard refused
SELECT 'taken' FROM windlass_job WHERE id = :id
UNION ALL
SELECT 'gone' WHERE :week IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM windlass_archive WHERE week = :week AND seq = :archived)

-- 2. job
-- As it was; only the seq is new, and its end is now, or the next cleaning would take it again.
-- :jobs rows (JobRecord)
INSERT INTO windlass_job ({JobRecord; without seq, lease}, has_steps)
SELECT {jobs.JobRecord; finished_at = :now; without seq, lease}, EXISTS (SELECT 1 FROM json_each(:steps))
FROM jsonb_each(:jobs)

-- 3. steps
-- :steps rows (StepRecord)
-- only with steps
INSERT INTO windlass_step (seq, {StepRecord})
SELECT job.seq, {steps.StepRecord} FROM jsonb_each(:steps) CROSS JOIN windlass_job AS job WHERE job.id = :id

-- 4. event
INSERT INTO windlass_event (seq, at, kind, fence, detail)
SELECT seq, :now, 'restored', fence, :detail FROM windlass_job WHERE id = :id

-- 5. archive
DELETE FROM windlass_archive WHERE week = :week AND seq = :archived
