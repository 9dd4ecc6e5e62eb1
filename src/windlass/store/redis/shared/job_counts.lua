-- Counters of jobs against the sets that hold them. Needs KEY.counts, KEY.due, KEY.queues, KEY.lease_until, state_sets, lease.
-- with overwritten
local JOB_COUNTS = {}

-- Calls tell with queue, state, what is counted and what was found, where they differ.
function JOB_COUNTS.compare(tell)
    local counted, queues = {}, {}
    local all = redis.call('HGETALL', KEY.counts)
    for index = 1, #all, 2 do
        local state, queue = string.match(all[index], '^(%l+):(.*)$')
        if state then
            counted[all[index]] = tonumber(all[index + 1])
            queues[queue] = true
        end
    end
    for _, queue in ipairs(redis.call('SMEMBERS', KEY.queues)) do queues[queue] = true end
    local running = {}
    for _, lease in ipairs(redis.call('ZRANGE', KEY.lease_until, 0, -1)) do
        for _, value in ipairs(try('HVALS', held_key(lease)) or {}) do
            local queue = queue_of_any_run(value)
            if queue then running[queue] = (running[queue] or 0) + 1 end
        end
    end
    for queue in pairs(queues) do
        local function look(state, found)
            local is = counted[state .. ':' .. queue] or 0
            if is ~= found then tell(queue, state, is, found) end
        end
        look('pending', (try('ZCARD', pending_key(queue)) or 0) + (try('ZCARD', suspects_key(queue)) or 0))
        look('running', running[queue] or 0)
        for _, state in ipairs({'completed', 'failed', 'cancelled'}) do
            look(state, try('ZCARD', finished_key(state, queue)) or 0)
        end
    end
end
