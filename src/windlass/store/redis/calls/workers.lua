-- All workers that live or were lost lately, by the time of their start; a worker whose lease has expired has lost it.
-- KEYS workers
-- without epoch
-- gives workers: rows (WorkerRecord) as one/other; overwritten: see shared/overwritten
-- with workers
local rows = {}
for _, id in ipairs(workers_called()) do
    local found = try('HMGET', worker_key(id), {
        found: name, state, lease, started_at, seen_at, signal, signalled_by, info}) or {}
    -- One of which something is missing was deleted by hand; its next heartbeat shows it again.
    if found.name and found.state and found.started_at and found.seen_at and found.info then
        rows[#rows + 1] = {
            WorkerRecord; id = id; name = found.name; state = is_live(found.lease) and found.state or 'lost';
            started_at = tonumber(found.started_at); seen_at = tonumber(found.seen_at); signal = found.signal;
            signalled_by = found.signalled_by; info = found.info;
        }
    end
end
table.sort(rows, function(one, other)
    if one.started_at ~= other.started_at then return one.started_at < other.started_at end
    return one.id < other.id
end)
return {'workers', rows, 'overwritten', overwritten}
