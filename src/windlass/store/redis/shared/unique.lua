-- Unique keys: who holds one, and how it is given back. Needs KEY.ids.
local function unique_key(key) return text_key('unique', key) end

-- Whether a job has begun a run. Of one that was claimed that is known only later, so it counts as started until it is
-- handed back: an enqueue that comes after the start must not be taken for a duplicate.
local function has_started(state, attempt, started_at)
    return state == 'running' or (tonumber(attempt) or 0) > 0 or started_at
end

-- The id of the job that holds the key, or false, and whether something of the key is left. No job holds it if its
-- window has passed, its job has started (if it is held until then) or is gone; a job that finished gave its key back.
local function holder_of(key)
    local held = redis.call('HMGET', unique_key(key), {held: id, until, expires_at})
    if not held.id then return false, false end
    local seq = redis.call('HGET', KEY.ids, held.id)
    local job = seq and redis.call('HMGET', job_key(seq), {job: id, state, attempt, started_at}) or {}
    local is_started = held.until == 'started' and has_started(job.state, job.attempt, job.started_at)
    local is_over = held.expires_at and tonumber(held.expires_at) <= now
    if not job.id or is_started or is_over then return false, true end
    return held.id, true
end

-- Gives a finished job's key back, unless it is held for a window of time or is another job's by now; of a job that is
-- not finished, but has begun a run (is_started), only what it held until then.
local function release_key(key, id, is_started)
    local kept = redis.call('HMGET', unique_key(key), {kept: id, until})
    if kept.id == id and kept.until ~= 'window' and (not is_started or kept.until == 'started') then
        redis.call('DEL', unique_key(key))
    end
end

-- Removes the key of a job whose body is gone, and with it its id, which is stored nowhere else.
local function forget_key(key, seq)
    local id = redis.call('HGET', unique_key(key), 'id')
    if id and redis.call('HGET', KEY.ids, id) == written(seq) then
        redis.call('DEL', unique_key(key))
        redis.call('HDEL', KEY.ids, id)
    end
end

-- Gives a free key to a job. `until_` says what ends that: started, finished or window; a window ends at an instant.
local function hold_key(key, id, until_, expires_at)
    redis.call('HSET', unique_key(key), 'id', id, 'until', until_)
    if expires_at then
        redis.call('HSET', unique_key(key), 'expires_at', written(expires_at))
        -- Only frees the memory, so only where the server's clock is the one that counts.
        if ARGV.now == '' then redis.call('PEXPIREAT', unique_key(key), written(expires_at)) end
    end
end
