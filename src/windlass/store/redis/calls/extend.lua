-- Gives one manually claimed job more time, under its fence.
-- KEYS counts, lease_from, lease_until
-- asks seq, fence, ttl
-- gives extended: one row (lease), if it was
-- with allow_oom, lease
local lease = lease_of(ask.seq, ask.fence)
if not lease or not is_manual(lease) or not is_open(lease) then return {'extended', {}} end
set_time(lease, ask.ttl)
return {'extended', {{lease}}}
