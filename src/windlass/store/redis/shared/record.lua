-- Jobs with everything that is known of them, rows (JobRecord) as row; one whose body is gone or overwritten is left
-- out. Needs chunks and texts.
-- with overwritten
local NUMBERS = {
    priority = 0, attempt = 0, max_attempts = 0, crashes = 0, rescues = 0, fence = 0, run_at = 0, created_at = 0,
    promoted_at = false, claimed_at = false, started_at = false, finished_at = false, timeout = false,
    cancel_requested_at = false, unknown_at = false, expires = false, start_by = false,
}
-- The seq is not in the hash, but in its key.
local COLUMNS, AFTER_SEQ = {{JobRecord}}, {JobRecord.seq} + 1
local IS_TEXT = {}
for _, what in ipairs(TEXTS) do IS_TEXT[what] = true end

local function records(seqs)
    local rows, long = {}, {}
    for _, seq in ipairs(seqs) do
        local fields, by_name, row = try('HGETALL', job_key(seq)) or {}, {}, {tonumber(seq)}
        for index = 1, #fields, 2 do by_name[fields[index]] = fields[index + 1] end
        -- An ending empties it rather than removing it, which would be a command more.
        if by_name.lease == '' then by_name.lease = false end
        for index = AFTER_SEQ, #COLUMNS do
            local column = COLUMNS[index]
            local value = by_name[column] or false
            if NUMBERS[column] ~= nil then value = tonumber(value) or NUMBERS[column] end
            if value == '' and IS_TEXT[column] then long[#long + 1] = {row, index, text_key(column, seq)} end
            row[index] = value
        end
        if by_name.id then rows[#rows + 1] = row end
    end
    fill_in(long)
    -- A payload that vanished is an undecodable one.
    for _, row in ipairs(rows) do row.payload = row.payload or '' end
    return rows
end
