-- The concurrency keys that runs hold, by what the leases hold: key -> seqs of its runs. Needs KEY.lease_until, lease.
local function runs_by_key()
    local found = {}
    for _, lease in ipairs(redis.call('ZRANGE', KEY.lease_until, 0, -1)) do
        local held = redis.call('HGETALL', held_key(lease))
        for index = 1, #held, 2 do
            local key, seq = key_of_run(held[index + 1]), held_job(held[index])
            if key and seq then
                found[key] = found[key] or {}
                table.insert(found[key], written(seq))
            end
        end
    end
    return found
end
