-- Records events of the store, which belong to no job.
-- KEYS counts, notices
-- asks kind; events: rows (worker, detail) as event
-- gives nothing
-- with allow_oom, events
for _, event in ipairs(ask.events) do note_without_job(ask.kind, event.worker, event.detail) end
return {}
