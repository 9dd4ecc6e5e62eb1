-- Stores edges of jobs of another store, which are here already. What is there stays. Those that are not settled are
-- looked at by promote. A parent that was gone there has the number 0 here. The first write is one that a server without
-- memory refuses.
-- KEYS ids, edges, awaited, unsettled
-- asks edges: rows (NewEdge, is_open) as edge, those of a child in order
-- gives nothing
local OPEN, SETTLED, GONE = 0, 1, '0'
for _, edge in ipairs(ask.edges) do
    local child = redis.call('HGET', KEY.ids, edge.child)
    local parents = child and prefix .. 'parents:' .. child
    if child and redis.call('LLEN', parents) == edge.place then
        local parent = edge.parent and redis.call('HGET', KEY.ids, edge.parent) or GONE
        redis.call('RPUSH', parents, parent)
        redis.call('HSET', job_key(child), 'on_parent_failure', edge.policy)
        redis.call('SADD', KEY.edges, child)
        if parent ~= GONE then redis.call('SADD', KEY.edges, parent) end
        if edge.is_open then
            redis.call('ZADD', prefix .. 'children:' .. parent, OPEN, child)
            redis.call('SADD', prefix .. 'awaits:' .. child, parent)
            redis.call('SADD', KEY.awaited, parent)
            redis.call('SADD', KEY.unsettled, parent)
        elseif parent ~= GONE then
            redis.call('ZADD', prefix .. 'children:' .. parent, 'NX', SETTLED, child)
        end
    end
end
return {}
