-- Removes lost workers, leases and cool-downs that have been over for a day, limits of the code that were not used for a
-- week, buckets of tasks and keys that are full again, events that were sent a week ago,
-- and ids of vanished jobs, `limit` of each at a time.
-- KEYS counts, events, workers, lease_from, lease_until, lease_lost, ids, astray, cooldowns, limits, opening, rated, sent, sent_new, edges, awaited, unsettled
-- asks limit
-- gives workers, leases, cooldowns, limits, rates, sent: a row for each that was looked at; ids: as many rows as were asked for, while
--       there are ids left that may be those of vanished jobs
-- with chunks, texts, allow_oom, index, lease, events, leftovers, buckets, cooldowns, waits
local DAY = 86400000

local function before(key, least)
    return redis.call('ZRANGEBYSCORE', key, least, '(' .. written(now - DAY), 'LIMIT', 0, ask.limit)
end

local workers, leases = {}, {}
for _, id in ipairs(before(KEY.workers, '-inf')) do
    redis.call('DEL', prefix .. 'worker:' .. id)
    redis.call('ZREM', KEY.workers, id)
    workers[#workers + 1] = {1}
end

-- A lost lease has done its duty as a marker for its owner after a day. One that still holds jobs stays until it is
-- rescued: its owner may come back.
local function remove_unused(found)
    for _, lease in ipairs(found) do
        if redis.call('EXISTS', held_key(lease)) == 0 then
            remove_lease(lease)
            redis.call('ZREM', KEY.lease_lost, lease)
            leases[#leases + 1] = {1}
        end
    end
end
remove_unused(before(KEY.lease_until, '(-inf'))
remove_unused(before(KEY.lease_lost, '-inf'))

-- By then it does not make the next one longer.
local cooldowns = {}
for _, member in ipairs(before(KEY.cooldowns, '-inf')) do
    redis.call('DEL', prefix .. 'cooldown:' .. member)
    redis.call('ZREM', KEY.cooldowns, member)
    cooldowns[#cooldowns + 1] = {1}
end

-- Their buckets are full, so nothing is lost. One that stays is looked at again in a week.
local limits, week_ago = {}, written(now - 7 * DAY)
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEY.limits, '-inf', '(' .. week_ago, 'LIMIT', 0, ask.limit)) do
    local limit = read_limit(name)
    if limit and (limit.changed_at or limit.level < limit.burst * limit.period) then
        redis.call('ZADD', KEY.limits, stamp, name)
    else
        redis.call('DEL', limit_key(name), line_key(name), line_until_key(name))
        redis.call('ZREM', KEY.limits, name)
    end
    limits[#limits + 1] = {1}
end

-- One that is gone is full. Where jobs wait it stays.
local rates = {}
for _, gate in ipairs(redis.call('ZRANGEBYSCORE', KEY.rated, '-inf', now, 'LIMIT', 0, ask.limit)) do
    if redis.call('ZSCORE', KEY.opening, gate) then
        redis.call('ZADD', KEY.rated, written(now + DAY), gate)
    else
        redis.call('DEL', prefix .. 'rate:' .. gate, prefix .. 'let_go:' .. gate)
        redis.call('ZREM', KEY.rated, gate)
        rates[#rates + 1] = {1}
    end
end

-- Events that were sent a week ago and that no job waits for. One that stays is looked at again in a week.
local sent = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEY.sent, '-inf', '(' .. week_ago, 'LIMIT', 0, ask.limit)) do
    if redis.call('EXISTS', waiters_key(name)) == 1 then
        redis.call('ZADD', KEY.sent, stamp, name)
    else
        redis.call('DEL', event_key(name))
        redis.call('ZREM', KEY.sent, name)
        redis.call('SREM', KEY.sent_new, name)
    end
    sent[#sent + 1] = {1}
end

local answer = {
    'workers', workers, 'leases', leases, 'cooldowns', cooldowns, 'limits', limits, 'rates', rates, 'sent', sent,
    'ids', {},
}
-- Since a job has vanished, an id may lead nowhere. None is found from its job, so all are walked through, once.
local at = redis.call('GET', KEY.astray)
if not at then return answer end
-- row (next, pairs) as found: ids, and the seq of each
local found, gone, ids = redis.call('HSCAN', KEY.ids, at, 'COUNT', ask.limit), {}, {}
for index = 1, #found.pairs, 2 do
    local id, seq = found.pairs[index], found.pairs[index + 1]
    if redis.call('EXISTS', job_key(seq)) == 0 then
        redis.call('HDEL', KEY.ids, id)
        gone[#gone + 1] = seq
    end
end
-- Also of those that no call has met yet, or whose call did not come so far.
remove_remains(gone)
if found.next == '0' then
    redis.call('DEL', KEY.astray)
else
    redis.call('SET', KEY.astray, found.next)
    for index = 1, ask.limit do ids[index] = {1} end
end
answer[#answer] = ids
return answer
