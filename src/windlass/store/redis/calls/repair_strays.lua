-- Removes ids that lead to no job.
-- KEYS counts, ids
-- asks strays: rows (kind, name, seq) as stray
-- with chunks, allow_oom, texts, overwritten
for _, stray in ipairs(ask.strays) do
    local seq = redis.call('HGET', KEY.ids, stray.name)
    if seq and try('HGET', job_key(seq), 'id') ~= stray.name then redis.call('HDEL', KEY.ids, stray.name) end
end
return {}
