-- Takes the lead where it is free or has expired, or keeps it. The term grows whenever the leader changes.
-- KEYS counts
-- asks duty, holder, ttl
-- gives leader: one row (holder, term, milliseconds until the lead is free)
-- with allow_oom, leader
local leader = read_leader(ask.duty)
if leader.holder == ask.holder or not leader.is_in_time then
    if leader.holder ~= ask.holder then leader.term = leader.term + 1 end
    leader.holder, leader.over_at = ask.holder, now + ask.ttl
    redis.call(
        'HSET', leader_key(ask.duty), 'holder', ask.holder, 'term', leader.term, 'ttl', ask.ttl, 'renewed_at', stamp)
end
return {'leader', {{leader.holder, leader.term, leader.over_at - now}}}
