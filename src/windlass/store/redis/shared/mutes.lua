-- Causes of failures that operators have muted: a JSON array of the fields of MuteRecord for each.
-- Needs KEY.mutes. A table, because a script has few names of its own.
local MUTES = {}

-- The mutes in what a read of all of them gave: those that last, and the causes of those that are over.
-- row (MuteRecord) as mute
function MUTES.told_apart(entries)
    local lasting, over = {}, {}
    for _, entry in ipairs(entries) do
        local mute = cjson.decode(entry)
        if mute.ends_at == cjson.null then mute.ends_at = false end
        if mute.ends_at and mute.ends_at <= now then
            over[#over + 1] = mute.cause
        else
            lasting[#lasting + 1] = mute
        end
    end
    return lasting, over
end
