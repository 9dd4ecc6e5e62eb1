-- The ledger of fires of one schedule, the newest first.
-- without epoch
-- asks name, before, limit
-- gives fires: rows (FireRecord)
-- with schedules
local rows = {}
for index, text in ipairs(redis.call(
    'ZREVRANGEBYSCORE', fires_key(ask.name), '(' .. written(ask.before), '-inf', 'LIMIT', 0, ask.limit)) do
    local row = cjson.decode(text)
    for column = 1, {#FireRecord} do
        if row[column] == cjson.null then row[column] = false end
    end
    rows[index] = row
end
return {'fires', rows}
