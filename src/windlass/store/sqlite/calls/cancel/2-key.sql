-- A job that is cancelled here gives its unique key back.
DELETE FROM windlass_key WHERE until <> 'window' AND (key, id) IN (
    SELECT unique_key, id FROM windlass_job WHERE seq IN (SELECT value FROM jsonb_each(:seqs))
    AND state IN ('scheduled', 'pending', 'retrying', 'blocked'))
