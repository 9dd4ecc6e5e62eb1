-- Finished jobs of one queue and state behind the position (:after_at, :after_seq) that are older than :age, or not
-- younger than the position (:beyond_at, :beyond_seq), the oldest first. Only what it takes to delete them.
-- :flows 1 for those that wait, or waited, for others, or others for them; 0 for all others
-- gives jobs
SELECT seq, id,
    -- here bytes_held
    -- Archives take them along.
    + iif(has_steps, (
        SELECT coalesce(sum(octet_length(result)), 0) FROM windlass_step
        WHERE windlass_step.seq = windlass_whole.seq), 0),
    fence, finished_at
FROM windlass_whole
WHERE
    -- here is_finished (job = windlass_whole)
AND state = :state AND queue = :queue
-- bounds the walk through the index; what follows is exact
AND finished_at BETWEEN :after_at AND max(:now - :age - 1, :beyond_at)
AND (finished_at, seq) > (:after_at, :after_seq)
AND (finished_at < :now - :age OR (finished_at, seq) <= (:beyond_at, :beyond_seq))
AND (unique_key IS NULL OR NOT
    -- here is_cached (job = windlass_whole)
)
AND (
    -- here has_edges (seq = windlass_whole.seq)
) = :flows
ORDER BY finished_at, seq LIMIT :limit
