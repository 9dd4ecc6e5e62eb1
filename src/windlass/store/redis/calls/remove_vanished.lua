-- Removes what is left of jobs whose bodies are gone, and leaves a notice of each. The call that met one that waited or ran
-- has taken it from there; one that was finished is taken from there here, by the first process that reports it.
-- KEYS counts, due, events, notices, astray, waiting, ids, expiring, awaited, unsettled, edges
-- asks vanished: rows (VanishedJob) as gone; by
-- gives noticed: rows (VanishedJob) as gone
-- with chunks, texts, allow_oom, index, state_sets, events, leftovers, overwritten, unique, edges
local COUNTED = 50000
local UNFINISHED = {pending = true, scheduled = true, retrying = true, running = true}

local noticed, due = {}, {}
local function add(seq, queue, was)
    local gone = {gone; seq = seq; queue = queue or false; was = was}
    noticed[#noticed + 1] = gone
    if not gone.queue and was == 'scheduled' then due[#due + 1] = gone end
end

-- Jobs that wait for their time lie in one set, so it is unknown in which queue and state one was counted whose body is
-- gone: all of them are counted anew, unless that would hold up other calls. What is missing besides has vanished too.
-- The counters that are too large, rows (queue, state, surplus) as shrink, tell what these jobs were, if it is only
-- one.
local function recount_due()
    if redis.call('ZCARD', KEY.due) > COUNTED then return end
    local found, shrunk = {}, {}
    for _, member in ipairs(redis.call('ZRANGE', KEY.due, 0, -1)) do
        local seq = tonumber(member)
        local job = try('HMGET', job_key(written(seq)), {job: state, queue, id}) or {}
        if job.id then
            local field = job.state .. ':' .. job.queue
            found[field] = (found[field] or 0) + 1
        else
            redis.call('ZREM', KEY.due, member)
            add(seq, nil, 'scheduled')
        end
    end
    local counts = redis.call('HGETALL', KEY.counts)
    for index = 1, #counts, 2 do
        local state, queue = string.match(counts[index], '^(%l+):(.*)$')
        local surplus = counts[index + 1] - (found[counts[index]] or 0)
        if (state == 'scheduled' or state == 'retrying') and surplus ~= 0 then
            count(state, queue, -surplus)
            shrunk[#shrunk + 1] = {queue, state, surplus}
        end
    end
    local shrink = shrunk[1]
    if #shrunk == 1 and shrink.surplus == #due then
        for _, gone in ipairs(due) do gone.queue, gone.was = shrink.queue, shrink.state end
    end
end

for _, gone in ipairs(ask.vanished) do
    local seq, queue, was = gone.seq, gone.queue, gone.was
    if UNFINISHED[was] then
        add(seq, queue, was)
    elseif not try('HGET', job_key(written(seq)), 'id')
        and redis.call('ZREM', finished_key(was, queue), padded(seq), plain_member(seq)) == 1 then
        count(was, queue, -1)
        add(seq, queue, was)
    end
end
if #due > 0 then recount_due() end
settle()
if #noticed == 0 then return {'noticed', {}} end

local seqs = {}
for index, gone in ipairs(noticed) do
    seqs[index] = written(gone.seq)
    note_without_job(
        'lost', ask.by, string.format('{"seq":%s,"queue":%s,"was":"%s"}', seqs[index], json(gone.queue), gone.was))
end
remove_remains(seqs)
-- A parent that is gone has not completed.
for _, seq in ipairs(seqs) do ended_jobs[#ended_jobs + 1] = seq end
EDGES.settle(try)
-- Their ids are found from nowhere: tidy_leftovers walks through all of them.
redis.call('SET', KEY.astray, '0')
return {'noticed', noticed}
