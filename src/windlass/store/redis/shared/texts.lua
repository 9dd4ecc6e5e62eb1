-- What users wrote. A short text is a field of its job's hash, which costs a third of a key; a long one would make the
-- hash large, so it has a key of its own, and its field is empty. Nothing written has no field. Needs portions.
local SHORT = 64
local TEXTS = {'payload', 'meta', 'retry', 'result', 'errors', 'progress'}

-- What a text's field holds; a long one is added to the keys and values that are written beside the job.
local function text_field(what, seq, text, long)
    if #text <= SHORT and #text > 0 then return text end
    long[#long + 1] = text_key(what, seq)
    long[#long + 1] = text
    return ''
end

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

-- Puts long texts into rows, many at once. wanted: list of (row, column, key)
local function fill_in(wanted)
    local names = {}
    for index, want in ipairs(wanted) do names[index] = want[3] end
    for index, text in ipairs(read_all('MGET', nil, names)) do wanted[index][1][wanted[index][2]] = text end
end
