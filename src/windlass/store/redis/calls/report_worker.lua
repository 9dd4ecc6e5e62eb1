-- Shows what a worker does, between two heartbeats. One that was lost or forgotten meanwhile is shown by its heartbeat.
-- KEYS counts, workers
-- asks worker, state, info, lease
-- gives nothing
-- with allow_oom, workers
local worker = worker_key(ask.worker)
if redis.call('HGET', worker, 'lease') == ask.lease then
    redis.call('HSET', worker, 'state', ask.state, 'seen_at', stamp, 'info', ask.info)
    redis.call('ZADD', KEY.workers, now, ask.worker)
end
return {}
