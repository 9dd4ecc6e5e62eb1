-- Removes what is left of jobs whose bodies are gone, and leaves a notice of each. Whoever met one that waited or ran
-- has taken it from there; one that was finished is taken from there here, by the first who tells of it.
-- KEYS counts, due, events, notices, astray, waiting
-- asks lost: rows (seq, queue or null, was); by
-- gives noticed: rows (seq, queue or false, was)
-- with chunks, texts, allow_oom, index, state_sets, events, leftovers, overwritten
local COUNTED = 50000
local UNFINISHED = {pending = true, scheduled = true, retrying = true, running = true}

local noticed, due = {}, {}
local function add(seq, queue, was)
    local row = {seq, queue or false, was}
    noticed[#noticed + 1] = row
    if not row[2] and was == 'scheduled' then due[#due + 1] = row end
end

-- Jobs that wait for their time lie in one set, so nobody knows in which queue and state one was counted whose body is
-- gone: all of them are counted anew, unless that would hold everybody up. What is missing besides is lost too. The
-- counters that are too large tell what the lost ones were, if it is only one.
local function recount_due()
    if redis.call('ZCARD', KEY.due) > COUNTED then return end
    local found, shrunk = {}, {}
    for _, member in ipairs(redis.call('ZRANGE', KEY.due, 0, -1)) do
        local seq = tonumber(member)
        local job = try('HMGET', job_key(written(seq)), 'state', 'queue', 'id') or {}
        if job[3] then
            local field = job[1] .. ':' .. job[2]
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
    if #shrunk == 1 and shrunk[1][3] == #due then
        for _, row in ipairs(due) do row[2], row[3] = shrunk[1][1], shrunk[1][2] end
    end
end

for _, row in ipairs(ask.lost) do
    local seq, queue, was = row[1], row[2], row[3]
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
for index, row in ipairs(noticed) do
    seqs[index] = written(row[1])
    note_without_job(
        'lost', ask.by, string.format('{"seq":%s,"queue":%s,"was":"%s"}', seqs[index], json(row[2]), row[3]))
end
remove_remains(seqs)
-- Their ids are found from nowhere: tidy_leftovers walks through all of them.
redis.call('SET', KEY.astray, '0')
return {'noticed', noticed}
