-- What the keys hold of one job: each key, and its fields and their values by turns; of a text its name and the text.
-- KEYS ids
-- without epoch
-- asks id
-- gives records: rows (place, body)
-- with chunks, texts, overwritten
local rows = {}

local function add(key, body)
    if body and #body > 0 then rows[#rows + 1] = {key, body} end
    return body or {}
end

local seq = redis.call('HGET', KEY.ids, ask.id)
if seq then
    local fields, by_name = add(job_key(seq), try('HGETALL', job_key(seq))), {}
    for index = 1, #fields, 2 do by_name[fields[index]] = fields[index + 1] end
    for _, what in ipairs(TEXTS) do
        local text = by_name[what] == '' and try('GET', text_key(what, seq))
        if text then add(text_key(what, seq), {what, text}) end
    end
    for what, name in pairs({lease = by_name.lease, unique = by_name.unique_key}) do
        if name ~= '' then add(text_key(what, name), try('HGETALL', text_key(what, name))) end
    end
end
return {'records', rows}
