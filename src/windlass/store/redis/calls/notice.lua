-- Writes down things that happened and belong to no job.
-- KEYS counts, notices
-- asks kind; notices: rows (worker, detail)
-- gives nothing
-- with allow_oom, events
for _, row in ipairs(ask.notices) do note_without_job(ask.kind, row[1], row[2]) end
return {}
