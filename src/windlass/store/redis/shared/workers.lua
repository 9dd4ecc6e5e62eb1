-- Workers by id or name; one whose lease is not live is lost. Needs KEY.workers.
-- with lease
local function worker_key(id) return prefix .. 'worker:' .. id end

-- The ids of those that have this id or name, or of all.
local function workers_called(worker)
    local found = {}
    for _, id in ipairs(redis.call('ZRANGE', KEY.workers, 0, -1)) do
        if not worker or worker == id or worker == try('HGET', worker_key(id), 'name') then found[#found + 1] = id end
    end
    return found
end
