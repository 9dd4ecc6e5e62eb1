-- The buckets in ranges of time, the first `limit` of them.
-- KEYS figure_state
-- without epoch
-- asks limit; ranges: rows (BucketRange) as wanted
-- gives buckets: rows (FigureBucket); state: one row (revision)
-- with chunks, figures
local buckets = {}
for _, wanted in ipairs(ask.ranges) do
    local room = ask.limit - #buckets
    local ats = room > 0 and redis.call(
        'ZRANGEBYSCORE', figure_times_key(wanted.step), wanted.first, wanted.last, 'LIMIT', 0, room) or {}
    local texts = read_all('HMGET', figures_key(wanted.step), ats)
    for index, at in ipairs(ats) do
        if texts[index] then
            buckets[#buckets + 1] = {FigureBucket; step = wanted.step; at = tonumber(at); data = texts[index]}
        end
    end
end
return {'buckets', buckets, 'state', {{tonumber(redis.call('HGET', KEY.figure_state, 'revision')) or 0}}}
