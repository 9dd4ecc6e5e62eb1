-- Shows how far a run is, under its fence.
-- KEYS counts
-- asks seq, fence, progress
-- gives progressed: one row (seq), if it was
-- with chunks, texts, allow_oom, lease
local lease = lease_of(ask.seq, ask.fence)
if not lease then return {'progressed', {}} end
note_not_plain(lease, held_field(ask.seq, ask.fence))
set_long_text('progress', written(ask.seq), ask.progress)
return {'progressed', {{ask.seq}}}
