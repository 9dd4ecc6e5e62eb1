-- Copies finished jobs into the archive: a hash for each ISO week in which jobs finished. A copy that is there stays.
-- KEYS counts
-- asks weeks: rows (seq, week) as job
-- gives archived: rows (seq) of those that are there now
-- with allow_oom, chunks, texts, record, steps
local FINISHED = {completed = true, failed = true, cancelled = true}

-- Texts of users become JSON strings, whatever they hold; numbers are written whole, where cjson would round long ones.
local function object(columns, row, more)
    local parts = {}
    for index, column in ipairs(columns) do
        local value, text = row[index], 'null'
        if type(value) == 'number' then text = written(value) elseif value then text = cjson.encode(value) end
        parts[#parts + 1] = '"' .. column .. '":' .. text
    end
    return '{' .. table.concat(parts, ',') .. (more or '') .. '}'
end

-- The steps of a job, in order, as what is added to its JSON; nothing if it has none.
local function steps_of(seq)
    local found, rows = redis.call('HGETALL', steps_key(seq)), {} -- rows (StepRecord) as step/one/other
    for index = 1, #found, 2 do rows[#rows + 1] = step_row(found[index], found[index + 1]) end
    if #rows == 0 then return end
    table.sort(rows, function(one, other) return one.number < other.number end)
    for index, step in ipairs(rows) do rows[index] = object({{StepRecord}}, step) end
    return ',"steps":[' .. table.concat(rows, ',') .. ']'
end

-- Everything that is known of a job.
local function as_json(seq) return object(COLUMNS, records({seq})[1], steps_of(seq)) end

local archived = {}
for _, job in ipairs(ask.weeks) do
    local seq, archive = written(job.seq), prefix .. 'archive:' .. job.week
    local is_there = redis.call('HEXISTS', archive, seq) == 1
    if not is_there and FINISHED[redis.call('HGET', job_key(seq), 'state')] then
        redis.call('HSET', archive, seq, as_json(seq))
        is_there = true
    end
    if is_there then archived[#archived + 1] = {job.seq} end
end
return {'archived', archived}
