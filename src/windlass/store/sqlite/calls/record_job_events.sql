-- Records events of jobs that are still there.
-- :events rows (seq, fence, kind, detail) as noted
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT seq, :now, {noted.kind}, :worker, {noted.fence}, {noted.detail}
FROM jsonb_each(:events) AS noted JOIN windlass_job ON seq = {noted.seq}
