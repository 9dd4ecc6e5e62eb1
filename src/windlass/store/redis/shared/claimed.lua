-- The jobs that a call hands to an owner. Needs portions and places.
local FIELDS = {
    'id', 'task', 'queue', 'priority', 'attempt', 'max_attempts', 'crashes', 'rescues', 'fence', 'timeout',
    'created_at', 'cancel_requested_at', 'unique_key', 'unknown_at', 'started_at',
}
local function read_job(seq) return redis.call('HMGET', job_key(seq), unpack(FIELDS)) end

-- Rows as Claimed, by priority and then by age. jobs: (seq, what read_job gave, the fence it is held under), as texts
local function claimed_rows(jobs)
    table.sort(jobs, function(one, other)
        local high, low = tonumber(one[2][4]) or 0, tonumber(other[2][4]) or 0
        if high ~= low then return high > low end
        return tonumber(one[1]) < tonumber(other[1])
    end)
    local names = {}
    for _, held in ipairs(jobs) do
        for _, what in ipairs({'payload', 'meta', 'errors', 'retry'}) do names[#names + 1] = text_key(what, held[1]) end
    end
    local texts, rows = read_all('MGET', nil, names), {}
    for index, held in ipairs(jobs) do
        local seq, job, fence = held[1], held[2], held[3]
        local first = 4 * index - 3
        rows[index] = {
            tonumber(seq), job[1], job[2], job[3], tonumber(job[4]) or 0,
            -- A payload that got lost is an undecodable one: it fails its own job, not the batch.
            texts[first] or '', texts[first + 1],
            tonumber(job[5]) or 0, tonumber(job[6]), tonumber(job[7]) or 0, tonumber(job[8]) or 0, tonumber(fence),
            tonumber(job[10]) or false, tonumber(job[11]), job[12] and 1 or 0, job[13],
            texts[first + 2], texts[first + 3], job[14] and now - job[14] or false,
        }
    end
    return rows
end
