-- Records events of jobs that are still there.
-- KEYS counts, events
-- asks events: rows (seq, fence, kind, detail) as event; worker
-- gives nothing
-- with allow_oom, events
for _, event in ipairs(ask.events) do
    if redis.call('EXISTS', job_key(written(event.seq))) == 1 then
        note(event.seq, event.kind, ask.worker, event.fence, event.detail)
    end
end
return {}
