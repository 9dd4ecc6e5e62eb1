-- Writes down things that happened and belong to no job.
-- KEYS counts, notices
-- asks kind; notices: rows (worker, detail) as event
-- gives nothing
-- with allow_oom, events
for _, event in ipairs(ask.notices) do note_without_job(ask.kind, event.worker, event.detail) end
return {}
