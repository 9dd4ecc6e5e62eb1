-- Removes one lost worker, by id or name, or all of them (worker is null), from the lists. Its lease stays: its jobs
-- are rescued as those of any other, and should it live after all, its next heartbeat shows it again.
-- KEYS counts, workers
-- asks worker
-- gives forgotten: rows (id)
-- with allow_oom, workers
local forgotten = {}
for _, id in ipairs(workers_called(ask.worker)) do
    if not is_live(redis.call('HGET', worker_key(id), 'lease')) then
        redis.call('DEL', worker_key(id))
        redis.call('ZREM', KEY.workers, id)
        forgotten[#forgotten + 1] = {id}
    end
end
return {'forgotten', forgotten}
