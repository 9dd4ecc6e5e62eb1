-- What users wrote. A short text is a field of its job's hash, which costs a third of a key; a long one would make the
-- hash large, so it has a key of its own, and its field is empty. Nothing written has no field.
local SHORT = 64

-- What a text's field holds; a long one is added to the keys and values that are written beside the job.
local function text_field(what, seq, text, long)
    if #text <= SHORT and #text > 0 then return text end
    long[#long + 1] = text_key(what, seq)
    long[#long + 1] = text
    return ''
end
