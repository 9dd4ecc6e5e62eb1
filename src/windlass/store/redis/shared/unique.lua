-- Unique keys: who holds one, and how it is given back. Needs KEY.ids.
local function unique_key(key) return text_key('unique', key) end

-- Cached results: the unique keys of jobs whose result is given to equal calls, `cache:TASK#...`, while these jobs wait
-- or run and for a time after they have completed.
local CACHE = {}
function CACHE.task(key) return string.match(key, '^cache:(.*)#') end
function CACHE.entries(task) return prefix .. 'cache:' .. task end
function CACHE.bytes(task) return prefix .. 'cache_bytes:' .. task end

-- Takes a key out of the cache of its task; to be called before the key itself is removed. What another program has
-- overwritten holds nothing up.
function CACHE.remove(key)
    local task = CACHE.task(key)
    if not task or redis.pcall('ZREM', CACHE.entries(task), key) ~= 1 then return end
    local bytes = redis.call('HGET', unique_key(key), 'bytes')
    if bytes then redis.pcall('DECRBY', CACHE.bytes(task), bytes) end
end

-- Holds the key of a job that has completed for the time of its cache, from now on; false if it is not cached.
function CACHE.keep(key, id, seq)
    local task = CACHE.task(key)
    local entry = task and redis.call('HMGET', unique_key(key), {entry: id, until, cached_for, expires_at})
    if not entry or entry.id ~= id or not entry.cached_for then return false end
    if entry.until == 'window' then return true end -- an ending that was sent again
    local result = redis.call('HGET', job_key(seq), 'result')
    local bytes = result == '' and redis.call('STRLEN', text_key('result', seq)) or #(result or '')
    local expires_at = written(now + tonumber(entry.cached_for))
    if type(redis.pcall('ZADD', CACHE.entries(task), expires_at, key)) == 'table' then return false end
    redis.call('HSET', unique_key(key), 'until', 'window', 'expires_at', expires_at, 'bytes', written(bytes))
    redis.pcall('INCRBY', CACHE.bytes(task), written(bytes))
    return true
end

-- Whether the result of a job is cached: equal calls are given this very job, so it stays until that is over.
function CACHE.holds(key, id)
    if not key or not CACHE.task(key) then return false end
    local entry = redis.call('HMGET', unique_key(key), {entry: id, until, cached_for, expires_at})
    return entry.id == id and entry.cached_for and entry.expires_at and tonumber(entry.expires_at) > now
end

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
        CACHE.remove(key)
        redis.call('DEL', unique_key(key))
    end
end

-- Removes the key of a job whose body is gone, and with it its id, which is stored nowhere else.
local function forget_key(key, seq)
    local id = redis.call('HGET', unique_key(key), 'id')
    if id and redis.call('HGET', KEY.ids, id) == written(seq) then
        CACHE.remove(key)
        redis.call('DEL', unique_key(key))
        redis.call('HDEL', KEY.ids, id)
    end
end

-- Gives a free key to a job. `until_` says what ends that: started, finished or window; a window ends at an instant.
-- With `cached_for` the key is that of a result to be cached; `bytes` are those of one that is there already.
local function hold_key(key, id, until_, expires_at, cached_for, bytes)
    redis.call('HSET', unique_key(key), 'id', id, 'until', until_)
    if cached_for then
        local task, ends_at = CACHE.task(key), expires_at and written(expires_at)
        redis.call('HSET', unique_key(key), 'cached_for', written(cached_for))
        redis.call('ZADD', CACHE.entries(task), ends_at or '+inf', key)
        -- It goes with tidy_cache, which has to count it.
        if ends_at then redis.call('HSET', unique_key(key), 'expires_at', ends_at) end
        if bytes then
            redis.call('HSET', unique_key(key), 'bytes', written(bytes))
            redis.call('INCRBY', CACHE.bytes(task), written(bytes))
        end
    elseif expires_at then
        redis.call('HSET', unique_key(key), 'expires_at', written(expires_at))
        -- Only frees the memory, so only where the server's clock is the one that counts.
        if ARGV.now == '' then redis.call('PEXPIREAT', unique_key(key), written(expires_at)) end
    end
end
