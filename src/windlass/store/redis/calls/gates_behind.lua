-- The next `limit` gates behind `after`, by name, at which jobs wait.
-- KEYS gates
-- without epoch
-- asks after, limit
-- gives gates: rows (name)
local rows = {}
for index, name in ipairs(redis.call('ZRANGEBYLEX', KEY.gates, '(' .. ask.after, '+', 'LIMIT', 0, ask.limit)) do
    rows[index] = {name}
end
return {'gates', rows}
