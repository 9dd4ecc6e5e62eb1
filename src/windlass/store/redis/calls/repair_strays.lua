-- Removes ids that lead to no job, and adds jobs to lists that do not have them.
-- KEYS counts, ids
-- asks strays: rows (kind, name, seq) as stray
-- with chunks, allow_oom, texts, overwritten, index
for _, stray in ipairs(ask.strays) do
    local seq = redis.call('HGET', KEY.ids, stray.name)
    local is_there = seq and try('HGET', job_key(seq), 'id') == stray.name
    if seq and not is_there then redis.call('HDEL', KEY.ids, stray.name) end
    if is_there and stray.kind == 'bit' then add_to_index('all', tonumber(seq)) end
end
return {}
