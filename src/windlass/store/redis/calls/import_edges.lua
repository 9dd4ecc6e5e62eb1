-- Stores edges of jobs of another store, which are here already. What is there stays. Those that are not settled are
-- looked at by promote. A parent that was gone there has the number 0 here. From a place on that no other parent has they are the
-- members of a group, of which the first is watched, for a start. The first write is one that a server without memory refuses.
-- KEYS ids, edges, awaited, unsettled
-- asks edges: rows (NewEdge, is_open) as edge, those of a child in order
-- gives nothing
local OPEN, SETTLED, GONE, MEMBERS_FROM = 0, 1, '0', 8589934592

-- Waits for a parent, or not any more.
local function tie(child, parent, is_open)
    if is_open then
        redis.call('ZADD', prefix .. 'children:' .. parent, OPEN, child)
        redis.call('SADD', prefix .. 'awaits:' .. child, parent)
        redis.call('SADD', KEY.awaited, parent)
        redis.call('SADD', KEY.unsettled, parent)
    elseif parent ~= GONE then
        redis.call('ZADD', prefix .. 'children:' .. parent, 'NX', SETTLED, child)
    end
end

local function add_member(callback, place, member, is_open)
    redis.call('RPUSH', prefix .. 'members:' .. callback, member)
    if member ~= GONE then
        local groups, own = redis.call('HGET', job_key(member), 'groups'), callback .. ':' .. written(place)
        redis.call('HSET', job_key(member), 'groups', groups and groups .. ' ' .. own or own)
    end
    if place > 0 then return end
    redis.call('HSET', prefix .. 'watch:' .. callback, 'place', written(place), 'member', member)
    tie(callback, member, is_open)
end

for _, edge in ipairs(ask.edges) do
    local child = redis.call('HGET', KEY.ids, edge.child)
    local is_member = edge.place >= MEMBERS_FROM
    local list = child and prefix .. (is_member and 'members:' or 'parents:') .. child
    local place = is_member and edge.place - MEMBERS_FROM or edge.place
    if child and redis.call('LLEN', list) == place then
        local parent = edge.parent and redis.call('HGET', KEY.ids, edge.parent) or GONE
        if is_member then
            add_member(child, place, parent, edge.is_open)
        else
            redis.call('RPUSH', list, parent)
            tie(child, parent, edge.is_open)
        end
        redis.call('HSET', job_key(child), 'on_parent_failure', edge.policy)
        redis.call('SADD', KEY.edges, child)
        if parent ~= GONE then redis.call('SADD', KEY.edges, parent) end
    end
end
return {}
