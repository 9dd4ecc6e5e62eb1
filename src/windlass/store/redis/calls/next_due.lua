-- In how many milliseconds the next job is due, or may go for which there was no token, and the next lease that holds something expires; a lease that is lost or
-- gone while it holds jobs, or that begins in the future, counts as expired now. And the next job that waits and expires, and whether
-- edges between jobs are to be looked at.
-- KEYS counts, due, lease_from, lease_until, waiting, cooldowns, expiring, opening, sent_new, wakes, unsettled
-- without epoch
-- asks duty, strays: whether every lease that holds something is looked at; else only those that are over within a
--      second, which are few however many there are; ending: how the leases of peers end
-- gives next_due: one row (NextDue), false where there is none; overwritten: see shared/overwritten
-- with lease, leader, gates
local AT_ONCE = 100

local function holds(lease) return redis.call('EXISTS', held_key(lease)) == 1 end

-- Leases are few: those of workers, and those of manual claims, which all hold a job.
local early = {}
for _, lease in ipairs(redis.call('ZRANGEBYSCORE', KEY.lease_from, '(' .. stamp, '+inf')) do early[lease] = true end

local function next_expiry()
    for lease in pairs(early) do
        if holds(lease) then return 0 end
    end
    local first, last = 0, ask.strays and '+inf' or written(now + 1000)
    while true do
        local leases = redis.call(
            'ZRANGEBYSCORE', KEY.lease_until, '-inf', last, 'WITHSCORES', 'LIMIT', first, AT_ONCE)
        for index = 1, #leases, 2 do
            if holds(leases[index]) then return leases[index + 1] == '-inf' and 0 or leases[index + 1] - now end
        end
        if #leases < 2 * AT_ONCE then return false end
        first = first + AT_ONCE
    end
end

local function live_workers()
    local count, first, peers = 0, false, 0
    for _, lease in ipairs(redis.call('ZRANGEBYSCORE', KEY.lease_until, '(' .. stamp, '+inf')) do
        if not early[lease] and not is_manual(lease) then
            count = count + 1
            if not first or lease < first then first = lease end
            if #ask.ending == 0 or string.sub(lease, -#ask.ending) == ask.ending then peers = peers + 1 end
        end
    end
    return count, first, peers
end

-- Of very many queues some are looked at, others the next time.
local function has_work()
    if redis.call('EXISTS', KEY.waiting) == 0 or is_shut(COMMON_GATES) then return false end
    for _, queue in ipairs(redis.call('SRANDMEMBER', KEY.waiting, AT_ONCE)) do
        if not is_shut(QUEUE_GATES, queue) then return true end
    end
    return false
end

local count, first, peers = live_workers()
local next_job = redis.call('ZRANGE', KEY.due, 0, 0, 'WITHSCORES') -- row (member, score) as next_job
local opening = redis.call('ZRANGE', KEY.opening, 0, 0, 'WITHSCORES') -- row (gate, score) as opening
local due = math.min(tonumber(next_job.score) or math.huge, tonumber(opening.score) or math.huge)
local next_late = redis.call('ZRANGE', KEY.expiring, 0, 0, 'WITHSCORES') -- row (member, score) as next_late
return {
    'next_due', {{
        NextDue; next_due = due < math.huge and due - now or false; next_expiry = next_expiry(); now = now; workers = count;
        keeper = first; has_work = has_work() and 1 or 0;
        is_lead_free = read_leader(ask.duty).is_in_time and 0 or 1;
        next_end = next_late.score and next_late.score - now or false;
        has_events = redis.call('EXISTS', KEY.sent_new, KEY.wakes) > 0 and 1 or 0;
        is_unsettled = redis.call('EXISTS', KEY.unsettled); peers = peers;
    }},
    'overwritten', overwritten,
}
