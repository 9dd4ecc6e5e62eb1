-- Keys of ours that hold something else, because another program wrote to them: all but those of single jobs, which are
-- too many to be looked at.
-- KEYS epoch, seq, ids, queues, configured, counts, waiting, due, events, notices, workers, lease_until, lease_from, lease_lost, astray, schedules, schedules_due, code_versions, limits, cooldowns, expiring, gates, opening, rated, caches, key_limits, task_rates, sent, sent_new, wakes, edges, awaited, unsettled, tokens, audit, figure_rows, figure_sources, figure_state, alert_rules, alerts, alerts_open, alerts_resolved, deliveries, deliveries_due, mutes
-- without epoch
-- gives overwritten: rows (key, type, right_type) as one/other
local RIGHT = {
    epoch = 'hash', seq = 'string', ids = 'hash', queues = 'set', configured = 'set', counts = 'hash', waiting = 'set',
    due = 'zset', events = 'zset', notices = 'list', workers = 'zset', lease_until = 'zset', lease_from = 'zset',
    lease_lost = 'zset', astray = 'string', schedules = 'zset', schedules_due = 'zset', code_versions = 'zset',
    limits = 'zset', cooldowns = 'zset', expiring = 'zset', gates = 'zset', opening = 'zset', rated = 'zset',
    caches = 'set', key_limits = 'zset', task_rates = 'zset', sent = 'zset', sent_new = 'set', wakes = 'set',
    edges = 'set', awaited = 'set', unsettled = 'set', tokens = 'hash', audit = 'zset',
    figure_rows = 'list', figure_sources = 'zset', figure_state = 'hash', alert_rules = 'zset', alerts = 'zset',
    alerts_open = 'hash', alerts_resolved = 'zset', deliveries = 'zset', deliveries_due = 'zset', mutes = 'hash',
}

local overwritten, is_overwritten = {}, {}
local function check(key, right)
    local found = redis.call('TYPE', key).ok
    if found == 'none' or found == right then return end
    overwritten[#overwritten + 1], is_overwritten[key] = {key, found, right}, true
end

-- What a set of names holds, unless it is overwritten itself.
local function names(command, key, ...)
    return is_overwritten[key] and {} or redis.call(command, key, ...)
end

for name, key in pairs(KEY) do check(key, RIGHT[name]) end
for _, queue in ipairs(names('SMEMBERS', KEY.queues)) do
    check(prefix .. 'queue:' .. queue, 'hash')
    check(prefix .. 'pending:' .. queue, 'zset')
    check(prefix .. 'suspects:' .. queue, 'zset')
    for _, state in ipairs({'completed', 'failed', 'cancelled'}) do
        check(prefix .. 'finished:' .. state .. ':' .. queue, 'zset')
    end
end
for _, lease in ipairs(names('ZRANGE', KEY.lease_until, 0, -1)) do
    check(prefix .. 'lease:' .. lease, 'hash')
    check(prefix .. 'held:' .. lease, 'hash')
    check(prefix .. 'cancels:' .. lease, 'set')
end
for _, worker in ipairs(names('ZRANGE', KEY.workers, 0, -1)) do check(prefix .. 'worker:' .. worker, 'hash') end
for _, name in ipairs(names('ZRANGE', KEY.schedules, 0, -1)) do
    check(prefix .. 'schedule:' .. name, 'hash')
    check(prefix .. 'fires:' .. name, 'zset')
end
for _, version in ipairs(names('ZRANGE', KEY.code_versions, 0, -1)) do
    check(prefix .. 'code_version:' .. version, 'hash')
end
for _, name in ipairs(names('ZRANGE', KEY.limits, 0, -1)) do
    check(prefix .. 'limit:' .. name, 'hash')
    check(prefix .. 'line:' .. name, 'zset')
    check(prefix .. 'line_until:' .. name, 'zset')
end
for _, member in ipairs(names('ZRANGE', KEY.cooldowns, 0, -1)) do check(prefix .. 'cooldown:' .. member, 'hash') end
for _, index in ipairs({'all', 'failed', 'cancelled'}) do
    local blocks = prefix .. 'blocks:' .. index
    check(blocks, 'zset')
    for _, block in ipairs(names('ZRANGE', blocks, 0, -1)) do
        check(prefix .. 'bits:' .. index .. ':' .. block, 'string')
    end
end
-- The order of a Lua table is not kept.
table.sort(overwritten, function(one, other) return one.key < other.key end)
return {'overwritten', overwritten}
