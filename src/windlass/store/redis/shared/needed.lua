-- Whether a job that waits for another, or wants its result, has not ended: retention spares what it needs. Needs KEY.edges.
-- with overwritten
local function is_needed(seq)
    if redis.call('SISMEMBER', KEY.edges, seq) == 0 then return false end
    for _, child in ipairs(try('ZRANGE', prefix .. 'children:' .. seq, 0, -1) or {}) do
        local state = try('HGET', job_key(child), 'state')
        if state and state ~= 'completed' and state ~= 'failed' and state ~= 'cancelled' then return true end
    end
    return false
end
