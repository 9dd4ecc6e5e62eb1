-- How many bytes users' texts take, without reading the long ones. Needs texts.
-- with texts, overwritten

-- About how many bytes a job holds, and these fields of it; nothing if its body is gone. The first must be the id:
-- row (id) as job.
local function size_of(seq, ...)
    local names = {...}
    local own = #names
    for _, what in ipairs(TEXTS) do names[#names + 1] = what end
    local job = try('HMGET', job_key(seq), unpack(names))
    if not job or not job.id then return end
    local bytes = 0
    for index = own + 1, #names do
        local text = job[index]
        if text == '' then
            bytes = bytes + redis.call('STRLEN', text_key(names[index], seq))
        elseif text then
            bytes = bytes + #text
        end
    end
    return bytes, job
end
