-- A write under an old fence changed nothing; this says so on the job it was meant for.
-- :writes rows (seq, fence, what)
INSERT INTO windlass_event (seq, at, kind, worker, fence, detail)
SELECT seq, :now, 'refused', :worker, refused.value ->> 1, json_object('write', refused.value ->> 2)
FROM jsonb_each(:writes) AS refused JOIN windlass_job ON seq = refused.value ->> 0 AND fence <> refused.value ->> 1
