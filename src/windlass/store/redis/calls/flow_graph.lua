-- What a graph shows of these jobs, and the edges between them, at most `most`.
-- without epoch
-- asks seqs, most
-- gives jobs: rows (FlowJob); edges: rows (FlowLink); overwritten: see shared/overwritten
-- with overwritten
local wanted, jobs, edges = {}, {}, {}
for _, number in ipairs(ask.seqs) do wanted[written(number)] = true end
for _, number in ipairs(ask.seqs) do
    local seq = written(number)
    local job = try('HMGET', job_key(seq), {job: id, task, queue, state, reason}) or {}
    if job.id then
        jobs[#jobs + 1] = {
            FlowJob; seq = number; id = job.id; task = job.task; queue = job.queue; state = job.state;
            reason = job.reason or false}
    end
    for _, parent in ipairs(try('LRANGE', prefix .. 'parents:' .. seq, 0, -1) or {}) do
        if wanted[parent] and #edges < ask.most then
            edges[#edges + 1] = {
                FlowLink; parent = tonumber(parent); child = number;
                is_open = redis.call('SISMEMBER', prefix .. 'awaits:' .. seq, parent); is_member = 0}
        end
    end
    -- The members of a group are parents of its callback.
    local watch = try('HMGET', prefix .. 'watch:' .. seq, {watch: place, member}) or {}
    local is_open = watch.member and redis.call('SISMEMBER', prefix .. 'awaits:' .. seq, watch.member) == 1
    for index, member in ipairs(try('LRANGE', prefix .. 'members:' .. seq, 0, -1) or {}) do
        if wanted[member] and #edges < ask.most then
            edges[#edges + 1] = {
                FlowLink; parent = tonumber(member); child = number;
                is_open = is_open and index - 1 >= tonumber(watch.place) and 1 or 0; is_member = 1}
        end
    end
end
return {'jobs', jobs, 'edges', edges, 'overwritten', overwritten}
