-- Counters of running jobs that are wrong, by what the leases hold. Needs KEY.counts, KEY.queues, KEY.configured,
-- KEY.lease_until, lease and limits.
local function running_by_queue()
    local running = {['*'] = 0}
    for _, lease in ipairs(redis.call('ZRANGE', KEY.lease_until, 0, -1)) do
        for _, value in ipairs(redis.call('HVALS', held_key(lease))) do
            local queue = queue_of_any_run(value)
            if queue then
                running[queue] = (running[queue] or 0) + 1
                running['*'] = running['*'] + 1
            end
        end
    end
    return running
end

-- rows (CounterDrift) as wrong
local function drifted()
    local limited, rows = {}, {}
    local names = redis.call('SMEMBERS', KEY.configured)
    if #names == 0 then names = redis.call('SMEMBERS', KEY.queues) end
    for _, name in ipairs(names) do
        if limit_of(name) then limited[#limited + 1] = name end
    end
    if #limited == 0 then return rows end
    local running = running_by_queue()
    for _, name in ipairs(limited) do
        local counted, found = running_now(name), running[name] or 0
        if counted ~= found then rows[#rows + 1] = {wrong; name = name; counted = counted; running = found} end
    end
    return rows
end
