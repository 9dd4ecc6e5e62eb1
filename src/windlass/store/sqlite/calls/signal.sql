-- Leaves word for one worker, or for all of them (:worker is null). A stop is final: it reaches workers that live, and a
-- worker that was asked to stop is reached by nothing else.
-- gives signalled
UPDATE windlass_worker SET signal = :signal, signalled_by = iif(signal IS 'stop', signalled_by, :by)
WHERE (:worker IS NULL OR id = :worker OR name = :worker) AND iif(
    :signal IS 'stop',
    EXISTS (
        SELECT 1 FROM windlass_lease WHERE id = windlass_worker.lease AND
        -- here live_lease
    ),
    signal IS NOT 'stop')
RETURNING id
