-- Whether this term is still the leader's, in time.
-- without epoch
-- asks duty, holder, term
-- gives leads: one row (does it lead)
-- with leader
local leader = read_leader(ask.duty)
local leads = leader.holder == ask.holder and leader.term == ask.term and leader.is_in_time
return {'leads', {{leads and 1 or 0}}}
