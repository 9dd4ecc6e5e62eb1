-- What users wrote, after it was stored, and that of many jobs at once.
-- with chunks, short_text
local TEXTS = {'payload', 'meta', 'retry', 'result', 'errors', 'progress', 'tags', 'attempts'}

local function add_text(what, seq, text, fields, long)
    fields[#fields + 1] = what
    fields[#fields + 1] = text_field(what, seq, text, long)
end

local function write_long(long)
    in_portions(long, function(...) redis.call('MSET', ...) end)
end

-- For texts that change while the job lives: a long one after a short one, or the reverse, would leave the other.
local function set_long_text(what, seq, text)
    redis.call('SET', text_key(what, seq), text)
    redis.call('HSET', job_key(seq), what, '')
end

local function remove_text(what, seq)
    if redis.call('HGET', job_key(seq), what) == '' then redis.call('UNLINK', text_key(what, seq)) end
    redis.call('HDEL', job_key(seq), what)
end

-- The text that a field stands for.
local function whole_text(what, seq, field)
    if field == '' then return redis.call('GET', text_key(what, seq)) end
    return field
end

-- Puts long texts into rows, many at once. wanted: rows (row, column, key) as want
local function fill_in(wanted)
    local names = {}
    for index, want in ipairs(wanted) do names[index] = want.key end
    for index, text in ipairs(read_all('MGET', nil, names)) do
        local want = wanted[index]
        want.row[want.column] = text
    end
end
