-- Shows how far a run is, under its fence.
-- KEYS counts
-- asks seq, fence, progress
-- gives progressed: one row (seq), if it was
-- with portions, texts, drain, lease
if not lease_of(ask.seq, ask.fence) then return {'progressed', {}} end
set_long_text('progress', written(ask.seq), ask.progress)
return {'progressed', {{ask.seq}}}
