-- The jobs that hang together with `seqs` by edges, the nearest first, these included; with `down` only those that wait, or
-- waited, for them, however far away. At most `limit`, and of each
-- group the first `members`.
-- without epoch
-- asks seqs, down, limit, members
-- gives walked: rows (Walked); overwritten: see shared/overwritten
-- with overwritten
local seen, found, rows, index = {}, {}, {}, 1
local function add(seqs)
    for _, seq in ipairs(seqs) do
        if not seen[seq] and #found < ask.limit then
            seen[seq] = true
            found[#found + 1] = seq
        end
    end
end
for _, number in ipairs(ask.seqs) do add({written(number)}) end
while found[index] and #found < ask.limit do
    local seq = found[index]
    add(try('ZRANGE', prefix .. 'children:' .. seq, 0, ask.limit) or {})
    for callback in string.gmatch(try('HGET', job_key(seq), 'groups') or '', '(%d+):') do add({callback}) end
    if ask.down == 0 then
        add(try('LRANGE', prefix .. 'parents:' .. seq, 0, ask.limit) or {})
        add(try('LRANGE', prefix .. 'members:' .. seq, 0, math.min(ask.limit, ask.members) - 1) or {})
    end
    index = index + 1
end
for position, seq in ipairs(found) do
    rows[position] = {Walked; seq = tonumber(seq); state = try('HGET', job_key(seq), 'state') or false}
end
return {'walked', rows, 'overwritten', overwritten}
