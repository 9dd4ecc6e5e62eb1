-- Leaves the token of an operator who wants to see where the threads of a worker are, by its id or name.
-- KEYS counts, workers
-- asks worker, token
-- gives asked: rows (id)
-- with allow_oom, workers
local asked = {}
for _, id in ipairs(workers_called(ask.worker)) do
    redis.call('HSET', worker_key(id), 'stacks', ask.token)
    asked[#asked + 1] = {id}
end
return {'asked', asked}
