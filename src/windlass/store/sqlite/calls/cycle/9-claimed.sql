-- What this call took. A call that is repeated with the same token and no rooms finds what the first one took.
-- gives claimed as json
SELECT CAST(json_group_array(json_array(
    seq, id, task, queue, priority, whole_payload, meta, attempt, max_attempts, crashes, rescues, fence, timeout, created_at,
    json(iif(cancel_requested_at IS NULL, 'false', 'true')), unique_key, errors, retry, :now - unknown_at)) AS BLOB)
FROM (
    SELECT * FROM windlass_whole WHERE state = 'running' AND lease = :lease AND claim = :token
    ORDER BY priority DESC, run_at, seq)
