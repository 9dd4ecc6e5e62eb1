-- What it means that a run or a job is over.
local FINISHED = {completed = true, failed = true, cancelled = true}
local ENDED = {completed = true, failed = true, cancelled = true, retrying = true, scheduled = true, pending = true}

-- An error for an ending that is none, or nothing. To be asked before the first write: a script is not rolled back.
local function refusal(endings)
    for _, ending in ipairs(endings) do
        if not ENDED[ending[3]] then return redis.error_reply('REFUSED no run ends as ' .. ending[3]) end
    end
end

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
