-- Writes down something unusual that a worker saw happen to jobs that are still there.
-- :notes rows (seq, fence, kind, detail)
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT seq, :now, noted.value ->> 2, :worker, noted.value ->> 1, noted.value ->> 3
FROM jsonb_each(:notes) AS noted JOIN windlass_job ON seq = noted.value ->> 0
