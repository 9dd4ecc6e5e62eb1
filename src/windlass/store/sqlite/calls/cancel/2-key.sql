-- A job that is cancelled here gives its unique key back.
DELETE FROM windlass_key WHERE until <> 'window' AND id IN (
    SELECT id FROM windlass_job WHERE seq IN (SELECT value FROM json_each(:seqs))
    AND unique_key = windlass_key.key AND state IN ('scheduled', 'pending', 'retrying', 'blocked'))
