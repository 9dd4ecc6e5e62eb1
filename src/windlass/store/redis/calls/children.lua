-- The jobs that wait, or waited, for a job, by their numbers, behind the number `after`; the callbacks of its groups among them.
-- without epoch
-- asks seq, after, limit
-- gives relatives: rows (Relative); overwritten: see shared/overwritten
-- with overwritten
local seqs, seen, relatives, parent = {}, {}, {}, written(ask.seq)
local function add(child)
    if not seen[child] then seqs[#seqs + 1] = tonumber(child) end
    seen[child] = true
end

for _, child in ipairs(try('ZRANGE', prefix .. 'children:' .. parent, 0, -1) or {}) do add(child) end
for callback in string.gmatch(try('HGET', job_key(parent), 'groups') or '', '(%d+):') do add(callback) end
table.sort(seqs)
for _, number in ipairs(seqs) do
    if number > ask.after and #relatives < ask.limit then
        local child = written(number)
        local job = try('HMGET', job_key(child), {job: id, task, state}) or {}
        local watched = try('HGET', prefix .. 'watch:' .. child, 'member') or parent
        relatives[#relatives + 1] = {
            Relative; place = number; seq = number; id = job.id or false; task = job.task or false;
            state = job.state or false; is_open = redis.call('SISMEMBER', prefix .. 'awaits:' .. child, watched)}
    end
end
return {'relatives', relatives, 'overwritten', overwritten}
