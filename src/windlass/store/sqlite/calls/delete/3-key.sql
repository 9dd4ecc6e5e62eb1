-- So does its key.
-- :ids are the ids of :seqs
DELETE FROM windlass_key WHERE id IN (SELECT value FROM jsonb_each(:ids))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.id = windlass_key.id)
