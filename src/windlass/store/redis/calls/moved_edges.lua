-- The edges of these jobs to those that they wait, or waited, for, in order, behind (after_child, after_place). The members of a
-- group come behind the others, from a place on that no other parent has.
-- without epoch
-- asks seqs in order, after_child, after_place, limit
-- gives edges: rows (MovedEdge); overwritten: see shared/overwritten
-- with overwritten
local MEMBERS_FROM = 8589934592
local edges = {}
local function add(number, list, first, place, is_open)
    local parents = try('LRANGE', list, first, first + ask.limit - #edges - 1) or {}
    local policy = #parents > 0 and try('HGET', job_key(written(number)), 'on_parent_failure') or 'cancel'
    for index, parent in ipairs(parents) do
        local job = try('HMGET', job_key(parent), {job: id, queue}) or {}
        edges[#edges + 1] = {
            MovedEdge; child = number; place = place + index - 1; parent = job.id or false; queue = job.queue or false;
            policy = policy; is_open = is_open(parent)}
    end
end

for _, number in ipairs(ask.seqs) do
    if number >= ask.after_child and #edges < ask.limit then
        local seq = written(number)
        local awaits = prefix .. 'awaits:' .. seq
        local first = number == ask.after_child and ask.after_place + 1 or 0
        if first < MEMBERS_FROM then
            add(number, prefix .. 'parents:' .. seq, first, first, function(parent)
                return redis.call('SISMEMBER', awaits, parent)
            end)
        end
        if #edges < ask.limit then
            local from = math.max(first - MEMBERS_FROM, 0)
            local watched = try('HGET', prefix .. 'watch:' .. seq, 'member')
            local is_open = watched and redis.call('SISMEMBER', awaits, watched) or 0
            add(number, prefix .. 'members:' .. seq, from, MEMBERS_FROM + from, function() return is_open end)
        end
    end
end
return {'edges', edges, 'overwritten', overwritten}
