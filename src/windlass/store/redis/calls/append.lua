-- Stores jobs under common terms, in the order of the call, into a queue without a limit: nearly every enqueue, so it
-- does with few commands, and without the parts that other scripts share, what enqueue.lua does for all kinds of jobs.
-- KEYS ids, seq, queues, counts, due, waiting, expiring
-- asks task, queue, priority, meta, max_attempts, delay, timeout, retry, expires; jobs: rows (id, payload) as job
-- gives stored: a row, or none where the queue has a limit or an id is there; then nothing was stored
-- with chunks, texts, index, order
local call = redis.call
local jobs, queue, priority = ask.jobs, ask.queue, ask.priority
if call('HGET', prefix .. 'queue:' .. queue, 'max_length') then return {'stored', {}} end
local ids = {}
for index = 1, #jobs do
    local job = jobs[index]
    ids[index] = job.id
end
local there = read_all('HMGET', KEY.ids, ids)
for index = 1, #jobs do
    if there[index] then return {'stored', {}} end
end
-- The order of claims is made of three digits.
if math.abs(priority) > 499 then return redis.error_reply('REFUSED priority ' .. priority .. ' is out of range') end

local is_due = ask.delay <= 0
local waiting = is_due and prefix .. 'pending:' .. queue or KEY.due
-- Refused where another program has written: nothing may be stored that could not be found.
call('ZCARD', waiting)

-- The first write is one that a server without memory refuses.
local last = take_seqs(#jobs)
local first = last - #jobs + 1
local state = is_due and 'pending' or 'scheduled'
local run_at = is_due and stamp or written(now + ask.delay)
local fields = {
    'state', state, 'queue', queue, 'task', ask.task, 'max_attempts', written(ask.max_attempts),
    'run_at', run_at, 'created_at', stamp, 'id', '', 'payload', '',
}
local ID, PAYLOAD = #fields - 2, #fields
-- What is null, or a number that is zero, is left out: the hash stays small.
local function add(name, value)
    fields[#fields + 1] = name
    fields[#fields + 1] = value
    return #fields
end
if priority ~= 0 then add('priority', written(priority)) end
if ask.timeout then add('timeout', written(ask.timeout)) end
local start_by = ask.expires and written(run_at + ask.expires)
if start_by then
    add('expires', written(ask.expires))
    add('start_by', start_by)
end
local META, RETRY = ask.meta and add('meta', ''), ask.retry and add('retry', '')

local numbers, places, expiring, long = {}, {}, {}, {}
local score = is_due and turn(priority, now) or run_at
local form = is_due and string.format('%03d%%014d', 500 - priority) or '%014d'
for index = 1, #jobs do
    local job = jobs[index]
    local number, id, payload = first + index - 1, job.id, job.payload
    local seq = written(number)
    fields[ID], fields[PAYLOAD] = id, text_field('payload', seq, payload, long)
    if META then fields[META] = text_field('meta', seq, ask.meta, long) end
    if RETRY then fields[RETRY] = text_field('retry', seq, ask.retry, long) end
    call('HSET', job_key(seq), unpack(fields))
    numbers[2 * index - 1], numbers[2 * index] = id, seq
    places[2 * index - 1], places[2 * index] = score, string.format(form, number)
    if start_by then
        expiring[2 * index - 1], expiring[2 * index] = start_by, string.format('%014d', number)
    end
end
in_portions(expiring, function(...) call('ZADD', KEY.expiring, ...) end)
in_portions(places, function(...) call('ZADD', waiting, ...) end)
in_portions(numbers, function(...) call('HSET', KEY.ids, ...) end)
if #long > 0 then write_long(long) end
add_run_to_index('all', first, last)
-- A queue with jobs that wait is known, and workers know of them; only who finds nothing stops asking.
if call('HINCRBY', KEY.counts, state .. ':' .. queue, #jobs) == #jobs then
    call('SADD', KEY.queues, queue)
    -- Not with call: a user without the right to publish has enqueued all the same; workers check within a second.
    if is_due then
        redis.pcall('SADD', KEY.waiting, queue)
        redis.pcall('PUBLISH', prefix .. 'news:work', queue)
    end
end
return {'stored', {{1}}}
