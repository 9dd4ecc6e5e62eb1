-- What it means that a job is finished.
local FINISHED = {completed = true, failed = true, cancelled = true}

-- Gives the unique keys of finished jobs back, unless a key is held for a window of time.
-- keys: rows (key, seq, fence); raised: by how much the call itself has raised the fence
local function release_keys(keys, raised)
    for _, row in ipairs(keys) do
        local job = redis.call('HMGET', job_key(row[2]), 'id', 'state', 'fence')
        if FINISHED[job[2]] and tonumber(job[3]) == row[3] + raised then
            local unique = text_key('unique', row[1])
            local held = redis.call('HMGET', unique, 'id', 'until')
            if held[1] == job[1] and held[2] ~= 'window' then redis.call('DEL', unique) end
        end
    end
end
