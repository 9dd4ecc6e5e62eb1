-- Jobs whose bodies are gone, by eviction or by hand, and that this script came across. The script removes what it
-- found of them and gives `vanished`, rows (VanishedJob); the call `remove_vanished` removes the rest and leaves a
-- notice.
-- Needs state_sets, lease and concurrency.
local vanished = {}

local function add_vanished(seq, queue, was)
    vanished[#vanished + 1] = {VanishedJob; seq = tonumber(seq); queue = queue or false; was = was}
end

-- Lets go of a run of such a job; whether the lease held it.
local function drop_run(lease, seq, fence)
    local field = seq .. ':' .. fence
    local value = redis.call('HGET', held_key(lease), field)
    if not value then return false end
    redis.call('HDEL', held_key(lease), field)
    redis.call('SREM', cancels_key(lease), field)
    if is_manual(lease) then remove_manual(lease) else forget_if_empty(lease) end
    local queue = queue_of_any_run(value)
    if queue then count('running', queue, -1) end
    local key = key_of_run(value)
    if key then free_concurrency_key(key, seq) end
    add_vanished(seq, queue, 'running')
    return true
end
