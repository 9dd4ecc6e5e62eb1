-- The finished job of one queue and state that is `skip` places older than the one before a position, in the order of
-- retention.
-- KEYS counts, due
-- without epoch
-- asks queue, state, at, seq, skip
-- gives position: one row (finished_at, seq), or none; overwritten: see shared/overwritten
-- with overwritten, index, state_sets
local key = finished_key(ask.state, ask.queue)
-- How many are not before the position. Among those that finished in its moment the order is that of their seqs.
local newer = try('ZCOUNT', key, '(' .. written(ask.at), '+inf') or 0
for _, member in ipairs(try('ZRANGEBYSCORE', key, written(ask.at), written(ask.at)) or {}) do
    if finished_seq(member) >= ask.seq then newer = newer + 1 end
end
-- row (member, score) as found
local found = try('ZREVRANGE', key, newer + ask.skip, newer + ask.skip, 'WITHSCORES') or {}
if not found.member then return {'position', {}, 'overwritten', overwritten} end
return {'position', {{tonumber(found.score), finished_seq(found.member)}}, 'overwritten', overwritten}
