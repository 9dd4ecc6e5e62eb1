-- The edges of these jobs to those that they wait, or waited, for, in order, behind (after_child, after_place).
-- without epoch
-- asks seqs in order, after_child, after_place, limit
-- gives edges: rows (MovedEdge); overwritten: see shared/overwritten
-- with overwritten
local edges = {}
for _, number in ipairs(ask.seqs) do
    if number >= ask.after_child and #edges < ask.limit then
        local seq = written(number)
        local first = number == ask.after_child and ask.after_place + 1 or 0
        local parents = try('LRANGE', prefix .. 'parents:' .. seq, first, first + ask.limit - #edges - 1) or {}
        local policy = #parents > 0 and try('HGET', job_key(seq), 'on_parent_failure') or 'cancel'
        for index, parent in ipairs(parents) do
            local job = try('HMGET', job_key(parent), {job: id, queue}) or {}
            edges[#edges + 1] = {
                MovedEdge; child = number; place = first + index - 1; parent = job.id or false;
                queue = job.queue or false; policy = policy;
                is_open = redis.call('SISMEMBER', prefix .. 'awaits:' .. seq, parent)}
        end
    end
end
return {'edges', edges, 'overwritten', overwritten}
