-- The edges of a job that is removed. Needs KEY.edges, KEY.awaited and KEY.unsettled.
-- with overwritten
-- Its children stay as they are: those that wait for it are looked at by promote, which then removes what is left.
local function forget_edges(seq)
    if try('SISMEMBER', KEY.edges, seq) ~= 1 then return end
    local awaits, parents = prefix .. 'awaits:' .. seq, prefix .. 'parents:' .. seq
    for _, parent in ipairs(redis.call('LRANGE', parents, 0, -1)) do
        redis.call('ZREM', prefix .. 'children:' .. parent, seq)
        if redis.call('EXISTS', prefix .. 'children:' .. parent) == 0 then redis.call('SREM', KEY.awaited, parent) end
    end
    local watch = prefix .. 'watch:' .. seq
    local watched = try('HGET', watch, 'member')
    if watched then
        redis.call('ZREM', prefix .. 'children:' .. watched, seq)
        if redis.call('EXISTS', prefix .. 'children:' .. watched) == 0 then redis.call('SREM', KEY.awaited, watched) end
    end
    redis.call('UNLINK', awaits, parents, watch, prefix .. 'members:' .. seq)
    redis.call('SREM', KEY.edges, seq)
    if redis.call('SISMEMBER', KEY.awaited, seq) == 1 then
        redis.call('SADD', KEY.unsettled, seq)
    else
        redis.call('UNLINK', prefix .. 'children:' .. seq)
    end
end
