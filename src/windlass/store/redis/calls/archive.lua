-- Copies finished jobs into the archive: a hash for each ISO week in which jobs finished. A copy that is there stays.
-- KEYS counts
-- asks weeks: rows (seq, week) as job
-- gives archived: rows (seq) of those that are there now
-- with allow_oom, chunks, texts, record
local FINISHED = {completed = true, failed = true, cancelled = true}

-- Everything that is known of a job. Texts of users become JSON strings, whatever they hold; numbers are written whole,
-- where cjson would round long ones.
local function as_json(seq)
    local record, parts = records({seq})[1], {}
    for index, column in ipairs(COLUMNS) do
        local value, text = record[index], 'null'
        if type(value) == 'number' then text = written(value) elseif value then text = cjson.encode(value) end
        parts[#parts + 1] = '"' .. column .. '":' .. text
    end
    return '{' .. table.concat(parts, ',') .. '}'
end

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
