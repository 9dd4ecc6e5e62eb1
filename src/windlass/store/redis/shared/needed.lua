-- Whether a job that waits for another, or wants its result, has not ended: retention spares what it needs. Needs KEY.edges.
-- with overwritten
local function is_unfinished(seq)
    local state = try('HGET', job_key(seq), 'state')
    return state and state ~= 'completed' and state ~= 'failed' and state ~= 'cancelled'
end

local function is_needed(seq)
    if redis.call('SISMEMBER', KEY.edges, seq) == 0 then return false end
    for _, child in ipairs(try('ZRANGE', prefix .. 'children:' .. seq, 0, -1) or {}) do
        if is_unfinished(child) then return true end
    end
    for callback in string.gmatch(try('HGET', job_key(seq), 'groups') or '', '(%d+):') do
        if is_unfinished(callback) then return true end
    end
    return false
end
