-- Writes down something unusual that a worker saw happen to jobs that are still there.
-- KEYS counts, events
-- asks notes: rows (seq, fence, kind, detail); worker
-- gives nothing
-- with allow_oom, events
for _, row in ipairs(ask.notes) do
    if redis.call('EXISTS', job_key(written(row[1]))) == 1 then note(row[1], row[3], ask.worker, row[2], row[4]) end
end
return {}
