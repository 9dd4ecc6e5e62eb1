-- Shows how far a run is, under its fence.
-- gives progressed
UPDATE windlass_job SET progress = :progress WHERE seq = :seq AND fence = :fence AND state = 'running' RETURNING seq
