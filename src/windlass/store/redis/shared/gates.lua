-- The gates before pending jobs, each in one place: a claim asks whether any is shut, why asks which. A gate is a row
-- (name, is_shut, details) as gate; its details may be missing. Another gate is another row. Needs KEY.counts,
-- KEY.cooldowns, and state_sets where suspects are asked about.
-- with limits, cooldowns

-- Those of all queues at once.
local COMMON_GATES = {
    {'everything_paused', function() return is_paused('*') end, function() return pause_of('*') end},
    {'app_at_limit', function() return is_at_limit('*') end, function() return limit_details('*') end},
}
-- Those of a queue.
local QUEUE_GATES = {
    {'queue_paused', is_paused, pause_of},
    {'queue_cooling', function(queue) return COOLDOWNS.read('queue', queue) ~= nil end, function(queue)
        local began_at, ends_at, reason = COOLDOWNS.read('queue', queue)
        return {began_at, false, reason, ends_at}
    end},
    {'queue_at_limit', is_at_limit, limit_details},
    {'queue_out_of_tokens', RATES.is_out, RATES.details},
}

-- The next member of a place where jobs wait, and its score: row (member, score) as found.
local function first_of(key)
    local found = try('ZRANGE', key, 0, 0, 'WITHSCORES') or {}
    return found.member, tonumber(found.score)
end

-- Those of a suspect, by its queue and member. It comes before the others of its priority, which it was ahead of once,
-- but not before those of a higher one.
local SUSPECT_GATES = {{'suspect_waits', function(queue, member)
    local other = first_of(pending_key(queue))
    return other and string.sub(other, 1, 3) < string.sub(member, 1, 3)
end}}

local function is_shut(gates, queue, member)
    for index = 1, #gates do
        local gate = gates[index]
        if gate.is_shut(queue, member) then return true end
    end
    return false
end

-- Adds a row of ShutGate for each that is shut: row (since, by, reason, ends_at, most) as details.
local function add_shut(rows, gates, queue, member)
    for _, gate in ipairs(gates) do
        if gate.is_shut(queue, member) then
            local details = gate.details and gate.details(queue) or {}
            rows[#rows + 1] = {
                ShutGate; gate = gate.name; since = details.since or false; by = details.by or false;
                reason = details.reason or false; ends_at = details.ends_at or false; most = details.most or false}
        end
    end
end
