-- Moves a job that waits to another time: a delay from the store's now, or an instant.
-- One that is ready already and may stay so keeps its place.
-- KEYS counts, due, waiting, expiring, gates
-- asks seq; delay or at
-- gives rescheduled: one row (seq), if it was
-- with chunks, allow_oom, index, state_sets, expiry, overwritten, concurrency
local MOVABLE = {scheduled = true, pending = true, retrying = true}

local key = job_key(written(ask.seq))
local job = redis.call('HMGET', key, {
    job: state, queue, priority, run_at, crashes, rescues, expires, start_by, concurrency_key})
local state, queue, priority = job.state, job.queue, tonumber(job.priority) or 0
local suspect = is_suspect(job.crashes, job.rescues)
if not MOVABLE[state] then return {'rescheduled', {}} end

local run_at = ask.at or now + ask.delay
local moved = run_at > now and 'scheduled' or 'pending'
local stays = moved == 'pending' and state == 'pending'
if moved == 'pending' then run_at = stays and tonumber(job.run_at) or now end
if job.start_by and not stays then move_expiry(ask.seq, job.expires, run_at) end
redis.call('HSET', key, 'state', moved, 'run_at', written(run_at))
displace(state, queue, ask.seq, priority, suspect)
place(moved, queue, ask.seq, priority, written(run_at), suspect)
if job.concurrency_key and moved == 'scheduled' then free_concurrency_key(job.concurrency_key, written(ask.seq)) end
settle()
settle_keys()
return {'rescheduled', {{ask.seq}}}
