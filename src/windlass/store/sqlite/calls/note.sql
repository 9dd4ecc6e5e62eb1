-- Writes down something unusual that a worker saw happen to jobs that are still there.
-- :notes rows (seq, fence, kind, detail) as noted
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT seq, :now, {noted.kind}, :worker, {noted.fence}, {noted.detail}
FROM jsonb_each(:notes) AS noted JOIN windlass_job ON seq = {noted.seq}
