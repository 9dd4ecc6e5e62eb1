-- Shows how far a run is, under its fence.
-- gives progressed
UPDATE windlass_running SET progress = CAST(:progress AS text)
WHERE seq = CAST(:seq AS bigint) AND fence = CAST(:fence AS bigint)
RETURNING seq
