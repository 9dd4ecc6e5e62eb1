-- The next `limit` concurrency keys behind `after`, and before `before` if that is given, that jobs hold: by name, each with how
-- many may hold it, how many do, and how many wait for it, counted up to `most`; and the first `shown` jobs that hold each.
-- KEYS counts, due, waiting, gates, lease_until, lease_from
-- without epoch
-- asks after, before, limit, most, shown
-- gives keys: rows (name, most, held, waiting); holders: rows (key, id, state)
-- with chunks, index, state_sets, overwritten, concurrency, lease, key_runs
local LOOKED_AT = 200

-- Byte by byte, as sorted sets are in order: Lua compares texts by the locale of the server.
local function is_before(one, other)
    for index = 1, math.min(#one, #other) do
        local left, right = string.byte(one, index), string.byte(other, index)
        if left ~= right then return left < right end
    end
    return #one < #other
end

local found = {}
local function add(key)
    local is_asked = is_before(ask.after, key) and (not ask.before or is_before(key, ask.before))
    if not is_asked or (try('SCARD', holders_key(key)) or 0) == 0 then return 0 end
    found[key] = true
    return 1
end

for key in pairs(runs_by_key()) do add(key) end
-- A key that a job holds which is yet to run has its gate in the list: the job was let go there.
local after, number = ask.after, 0
repeat
    local names = redis.call(
        'ZRANGEBYLEX', KEY.gates, '(' .. after, ask.before and '(' .. ask.before or '+', 'LIMIT', 0, LOOKED_AT)
    for _, name in ipairs(names) do number = number + add(name) end
    after = names[#names]
until #names < LOOKED_AT or number >= ask.limit

local sorted, keys, holders = {}, {}, {}
for key in pairs(found) do sorted[#sorted + 1] = key end
table.sort(sorted, is_before)
for index = 1, math.min(#sorted, ask.limit) do
    local key = sorted[index]
    local seqs = try('SMEMBERS', holders_key(key)) or {}
    local waiting = math.min(try('ZCARD', blocked_key(key)) or 0, ask.most)
    keys[#keys + 1] = {key, most_holders(key), #seqs, waiting}
    table.sort(seqs, function(one, other) return tonumber(one) < tonumber(other) end)
    for place = 1, math.min(#seqs, ask.shown) do
        local job = try('HMGET', job_key(seqs[place]), {job: id, state}) or {}
        if job.id then holders[#holders + 1] = {key, job.id, job.state} end
    end
end
return {'keys', keys, 'holders', holders}
