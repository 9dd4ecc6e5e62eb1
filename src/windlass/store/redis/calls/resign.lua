-- Gives the lead up; the term stays, so that it can only grow. A stale leader gives up nothing.
-- KEYS counts
-- asks duty, holder, term
-- gives resigned: one row (duty), if it did lead
-- with allow_oom, leader
local leader = read_leader(ask.duty)
if leader.holder ~= ask.holder or leader.term ~= ask.term then return {'resigned', {}} end
redis.call('HSET', leader_key(ask.duty), 'holder', '', 'renewed_at', 0)
return {'resigned', {{ask.duty}}}
