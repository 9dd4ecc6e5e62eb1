-- Begins an epoch if the server is not the one that began the last: it was started anew, another one was made the
-- primary, or everything was deleted. What such a server has lost it may hand out again, so numbers jump ahead.
-- KEYS epoch, seq, counts, notices
-- without epoch
-- asks run_id: what changes whenever the server may have lost something; has_lost: whether the caller has missed data
-- gives epoch: one row (the epoch that holds now)
-- with events
local SINCE = 1767225600  -- 2026-01-01; milliseconds since then stay below 2^41, so fences stay below 2^53
local SEQS_LOST = 1000000 -- more than a server can store in the time that it can lose

local found = redis.call('HMGET', KEY.epoch, {found: epoch, run_id})
local epoch, believed = tonumber(found.epoch) or 0, tonumber(ARGV.epoch) or 0
local begins = found.run_id ~= ask.run_id
-- As shared/allow_oom does, but not for a caller that comes to an epoch that has begun: a server that takes no writes
-- can be read.
if begins or ask.has_lost then redis.call('PERSIST', KEY.counts) end
if begins then
    -- The server's own clock, also in tests: the epoch that was written last may be what got lost.
    -- Milliseconds, because a server that crashes again and again is started several times in a second.
    local time = redis.call('TIME') -- row (seconds, microseconds) as time
    local elapsed = (time.seconds - SINCE) * 1000 + math.floor(time.microseconds / 1000)
    epoch = math.max(epoch + 1, believed + 1, elapsed)
    redis.call('HSET', KEY.epoch, 'epoch', written(epoch), 'run_id', ask.run_id)
    if found.run_id or believed > 0 then redis.call('INCRBY', KEY.seq, SEQS_LOST) end
end
-- Reported once, however many processes miss the data: the field went with them.
if ask.has_lost and redis.call('HSETNX', KEY.epoch, 'emptied', stamp) == 1 then note_without_job('emptied') end
return {'epoch', {{epoch}}}
