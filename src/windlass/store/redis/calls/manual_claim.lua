-- A manual claim, for a caller that runs the jobs itself: each gets a lease of its own and is charged at once. The lease
-- is named token:seq:fence, so that a job that the same token takes again does not get its old one back.
-- The room left shrinks by what this token already holds, so a repeated call takes nothing twice.
-- KEYS counts, due, lease_from, lease_until, waiting, cooldowns, expiring, gates, opening, rated
-- asks limit, queues: rows (name) as queue, in the order in which they are served; worker, token, ttl
-- gives claimed: rows (Claimed) as row, of everything that the token holds; blocked: as in cycle; vanished,
--       overwritten: see there in shared/
-- with chunks, texts, allow_oom, index, state_sets, lease, concurrency, vanished, gates, claim
local leases, taken = manual_leases_key(ask.token), 0

local function own(seq, fence, row)
    taken = taken + 1
    RATES.spend(row.queue, 1)
    local lease = ask.token .. ':' .. seq .. ':' .. fence
    redis.call(
        'HSET', job_key(seq), 'state', 'running', 'fence', fence, 'lease', lease, 'worker', ask.worker,
        'claimed_at', stamp, 'started_at', stamp, 'attempt', written(row.attempt + 1))
    redis.call('HSET', lease_key(lease), 'state', 'open', 'worker', ask.worker)
    set_time(lease, ask.ttl)
    local value = row.concurrency_key and held_with_key(ask.token, row.queue, row.concurrency_key)
        or held_value(ask.token, row.queue)
    redis.call('HSET', held_key(lease), seq .. ':' .. fence, value)
    redis.call('SADD', leases, lease)
end

-- A manual claim takes suspects like all others: one by one, whichever of both places has the next. Those that are blocked
-- take up no room.
local function take_of_both(queue, room)
    local most = taken + room
    while taken < most and #blocked < BLOCKED_AT_ONCE do
        local suspect, turn_of_suspect = first_of(suspects_key(queue))
        local other, turn_of_other = first_of(pending_key(queue))
        if not suspect then return end
        local is_other = other
            and (turn_of_other < turn_of_suspect or (turn_of_other == turn_of_suspect and other < suspect))
        if is_other then own_popped(pop(queue, 1), queue, {}, own) else take_suspect(queue, {}, own) end
    end
end

for _, queue in ipairs(ask.queues) do
    local function room_left()
        settle(try)
        return room(queue.name, ask.limit - redis.call('SCARD', leases))
    end
    if room_left() > 0 and not is_shut(COMMON_GATES) and not is_shut(QUEUE_GATES, queue.name) then
        take_of_both(queue.name, room_left())
        local left = room_left()
        if left > 0 and not first_of(suspects_key(queue.name)) then take(queue.name, left, {}, own) end
    end
    -- How far the clock went back has to be known later.
    RATES.spend(queue.name, 0)
end

local rows, long = {}, {}
for _, lease in ipairs(redis.call('SMEMBERS', leases)) do
    local seq, fence = string.match(lease, ':(%d+):(%d+)$')
    local row = read_claimed(seq, false, 0, tonumber(fence), long)
    if row then
        row.is_charged = 1
        rows[#rows + 1] = row
    else
        drop_run(lease, seq, fence)
    end
end
settle(try)
settle_keys(try)
return {'claimed', finish_rows(rows, long), 'blocked', blocked, 'vanished', vanished, 'overwritten', overwritten}
