-- Going through the archive of one ISO week. It has no order, and no index.
local ARCHIVE = {BATCH = 10}

function ARCHIVE.key(week) return prefix .. 'archive:' .. week end

-- Rows of ArchivedPlace of those that match(seq, text), from a cursor of HSCAN on, and the cursor behind them, false after
-- the last. At most `window` are looked at, and no more than hold `bytes` together, but at least a batch.
function ARCHIVE.walk(week, cursor, window, bytes, matches)
    local rows, examined, size, at = {}, 0, 0, cursor or '0'
    repeat
        -- row (next, pairs) as found: seqs, and the JSON of each
        local found = redis.call('HSCAN', ARCHIVE.key(week), at, 'COUNT', ARCHIVE.BATCH)
        for index = 1, #found.pairs, 2 do
            local seq, text = found.pairs[index], found.pairs[index + 1]
            examined, size = examined + 1, size + #text
            if matches(seq, text) then
                rows[#rows + 1] = {ArchivedPlace; week = week; seq = tonumber(seq); size = #text; cursor = at}
            end
        end
        at = found.next
    until at == '0' or examined >= window or size >= bytes
    return rows, at ~= '0' and at
end
