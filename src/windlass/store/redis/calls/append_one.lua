-- Stores one job into a queue without a limit: what most enqueues are, so it is as short as can be. append.lua does the
-- same for many.
-- KEYS ids, seq, queues, counts, due, waiting, expiring
-- ARGS id, payload, task, queue, priority, meta, max_attempts, delay, timeout, retry, expires
-- gives stored: a row, or none where the queue has a limit or the id is there; then nothing was stored
-- with short_text, index, order
local call = redis.call
if call('HGET', prefix .. 'queue:' .. queue, 'max_length') then return {'stored', {}} end
-- The order of claims is made of three digits.
if math.abs(priority) > 499 then return redis.error_reply('REFUSED priority ' .. priority .. ' is out of range') end

-- The first write is one that a server without memory refuses. A number that is not used is given to no other job.
local number = take_seqs(1)
local seq, long = written(number), {}
if call('HSETNX', KEY.ids, id, seq) == 0 then return {'stored', {}} end
local is_due = tonumber(delay) <= 0
local state = is_due and 'pending' or 'scheduled'
local run_at = is_due and stamp or written(now + delay)
local placed
if is_due then
    placed = redis.pcall(
        'ZADD', prefix .. 'pending:' .. queue, turn(priority, now), string.format('%03d%014d', 500 - priority, number))
else
    placed = redis.pcall('ZADD', KEY.due, run_at, string.format('%014d', number))
end
-- Another program has written there: nothing is stored that could not be found.
if type(placed) == 'table' then
    call('HDEL', KEY.ids, id)
    return placed
end
local fields = {
    'state', state, 'queue', queue, 'task', task, 'max_attempts', max_attempts,
    'run_at', run_at, 'created_at', stamp, 'id', id, 'payload', text_field('payload', seq, payload, long),
}
-- What is null, or a number that is zero, is left out: the hash stays small.
local function add(name, value)
    fields[#fields + 1] = name
    fields[#fields + 1] = value
end
if priority ~= '0' then add('priority', priority) end
if timeout ~= NULL then add('timeout', timeout) end
if meta ~= NULL then add('meta', text_field('meta', seq, meta, long)) end
if retry ~= NULL then add('retry', text_field('retry', seq, retry, long)) end
if expires ~= NULL then
    local start_by = written(run_at + expires)
    add('expires', expires)
    add('start_by', start_by)
    call('ZADD', KEY.expiring, start_by, string.format('%014d', number))
end
call('HSET', job_key(seq), unpack(fields))
if long[1] then call('MSET', unpack(long)) end
add_to_index('all', number)
-- A queue with jobs that wait is known, and workers know of them; only who finds nothing stops asking.
if call('HINCRBY', KEY.counts, state .. ':' .. queue, 1) == 1 then
    call('SADD', KEY.queues, queue)
    -- Not with call: a user without the right to publish has enqueued all the same; workers check within a second.
    if is_due then
        redis.pcall('SADD', KEY.waiting, queue)
        redis.pcall('PUBLISH', prefix .. 'news:work', queue)
    end
end
return {'stored', {{1}}}
