-- 1. texts
-- Replaces texts of jobs, each only if it is still the old one.
-- each texts (seq, old_payload, payload, old_meta, meta, old_result, result, old_errors, errors, old_progress, progress)
UPDATE windlass_job SET
    payload = iif(payload = :old_payload, :payload, payload),
    meta = iif(meta = :old_meta, :meta, meta),
    result = iif(result = :old_result, :result, result),
    errors = iif(errors = :old_errors, :errors, errors),
    progress = iif(progress = :old_progress, :progress, progress)
WHERE seq = :seq

-- 2. payloads apart
-- each texts (seq, old_payload, payload, old_meta, meta, old_result, result, old_errors, errors, old_progress, progress)
UPDATE windlass_payload SET payload = :payload, size = length(CAST(:payload AS BLOB))
WHERE seq = :seq AND payload = :old_payload

-- 3. steps
-- each steps (seq, name, old, new)
UPDATE windlass_step SET result = :new WHERE seq = :seq AND name = :name AND result = :old

-- 4. events
-- each events (name, old, new)
UPDATE windlass_sent SET value = :new WHERE name = :name AND value = :old
