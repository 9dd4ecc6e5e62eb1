-- What a job has recorded, in order, with the results if `results` is 1; and the time, if the job runs under this fence.
-- without epoch
-- asks seq, fence (or null), results
-- gives steps: rows (StepRecord) as step/one/other; held: one row (now), if it does
-- with lease, steps
local found, rows = redis.call('HGETALL', steps_key(written(ask.seq))), {}
for index = 1, #found, 2 do
    local step = step_row(found[index], found[index + 1])
    if ask.results ~= 1 then step.result = false end
    rows[#rows + 1] = step
end
table.sort(rows, function(one, other) return one.number < other.number end)
local is_held = ask.fence and lease_of(ask.seq, ask.fence)
return {'steps', rows, 'held', is_held and {{now}} or {}}
