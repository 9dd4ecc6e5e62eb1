-- What the server says of itself: memory and its maximum in bytes, connections, and evicted keys since it started.
-- KEYS counts
-- without epoch
-- gives state: rows (name, value), without what a user of the server may not ask for
local state = {}
local function tell(name, section, field)
    local info = redis.pcall('INFO', section)
    local value = type(info) == 'string' and string.match(info, '\n' .. field .. ':(%d+)')
    if value then state[#state + 1] = {name, tonumber(value)} end
end
tell('memory', 'memory', 'used_memory')
tell('max_memory', 'memory', 'maxmemory')
tell('connections', 'clients', 'connected_clients')
tell('evictions', 'stats', 'evicted_keys')
return {'state', state}
