-- The oldest rows that are not merged yet, `limit` of them behind the first `skip`.
-- KEYS figure_rows, figure_state
-- without epoch
-- asks skip, limit
-- gives rows: rows (FigureRow), numbered from the first on; state: one row (revision, bytes, now)
local rows = {}
local found = ask.limit > 0 and redis.call('LRANGE', KEY.figure_rows, ask.skip, ask.skip + ask.limit - 1) or {}
for number, text in ipairs(found) do
    local at, data = string.match(text, '^(%d+) (.*)$')
    rows[number] = {FigureRow; number = number; at = tonumber(at) or 0; data = data or ''}
end
local state = redis.call('HMGET', KEY.figure_state, {state: revision, bytes})
return {'rows', rows, 'state', {{tonumber(state.revision) or 0, tonumber(state.bytes) or 0, now}}}
