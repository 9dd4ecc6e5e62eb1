-- The finished job of one queue and state that is :skip places older than the one before a position, in the order of
-- retention. The walk through the index is bounded by :skip.
-- gives position
SELECT finished_at, seq FROM windlass_job
WHERE
    -- here is_finished (job = windlass_job)
AND state = :state AND queue = :queue
AND finished_at <= :at AND (finished_at, seq) < (:at, :seq)
ORDER BY finished_at DESC, seq DESC LIMIT 1 OFFSET :skip
