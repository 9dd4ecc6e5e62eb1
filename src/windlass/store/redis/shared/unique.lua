-- Unique keys: who holds one, and how it is given back. Needs KEY.ids.
local function unique_key(key) return text_key('unique', key) end

-- Whose a key is, or nobody's (false) and whether something of it is left. Nobody holds it any more if its window is
-- over, its job has started (if it is held until then) or is gone; a job that finished gave its key back at once.
local function holder_of(key)
    local held = redis.call('HMGET', unique_key(key), 'id', 'until', 'expires_at')
    if not held[1] then return false, false end
    local seq = redis.call('HGET', KEY.ids, held[1])
    local fence = seq and tonumber(redis.call('HGET', job_key(seq), 'fence')) or 0
    local has_started, is_over = held[2] == 'started' and fence > 0, held[3] and tonumber(held[3]) <= now
    if not seq or has_started or is_over then return false, true end
    return held[1], true
end

-- Gives a finished job's key back, unless it is held for a window of time or is another job's by now.
local function release_key(key, id)
    local held = redis.call('HMGET', unique_key(key), 'id', 'until')
    if held[1] == id and held[2] ~= 'window' then redis.call('DEL', unique_key(key)) end
end

-- Gives a free key to a job. `until_` says what ends that: started, finished or window; a window ends at an instant.
local function hold_key(key, id, until_, expires_at)
    redis.call('HSET', unique_key(key), 'id', id, 'until', until_)
    if expires_at then
        redis.call('HSET', unique_key(key), 'expires_at', written(expires_at))
        -- Only frees the memory, so only where the server's clock is the one that counts.
        if ARGV[1] == '' then redis.call('PEXPIREAT', unique_key(key), written(expires_at)) end
    end
end
