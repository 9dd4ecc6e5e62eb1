-- Limits by name, with how many wait for a token.
-- KEYS limits
-- without epoch
-- asks name (or null for all); most: how far those that wait are counted
-- gives limits: rows (LimitRecord); now: one row (milliseconds since 1970)
-- with buckets
local names = {ask.name}
if not ask.name then
    names = redis.call('ZRANGE', KEY.limits, 0, -1)
    table.sort(names)
end

local rows = {}
for _, name in ipairs(names) do
    local found = redis.call('HMGET', limit_key(name), {
        found: amount, period, burst, level, filled_at, changed_at, changed_by})
    if found.amount then
        local waiting = redis.call('ZCOUNT', line_until_key(name), '(' .. stamp, '+inf')
        rows[#rows + 1] = {
            LimitRecord; name = name; amount = tonumber(found.amount); period = tonumber(found.period);
            burst = tonumber(found.burst); level = tonumber(found.level); filled_at = tonumber(found.filled_at);
            waiting = math.min(waiting, ask.most); changed_at = tonumber(found.changed_at) or false;
            changed_by = found.changed_by;
        }
    end
end
return {'limits', rows, 'now', {{now}}}
