-- The finished job of one queue and state that is :skip places older than the one before a position, in the order of
-- retention. The walk through the index is bounded by :skip.
-- gives position
SELECT finished_at, seq FROM windlass_finished
WHERE state = :state AND queue = :queue AND (finished_at, seq) < (CAST(:at AS bigint), CAST(:seq AS bigint))
ORDER BY finished_at DESC, seq DESC LIMIT 1 OFFSET CAST(:skip AS bigint)
