-- Going through an index.
-- with index

-- The seqs of one block, the oldest first.
local function seqs_of(name, block)
    local bits, seqs = redis.call('GET', bits_key(name, block)) or '', {}
    for index = 1, #bits do
        local byte, seq = string.byte(bits, index), block * BLOCK + 8 * index - 8
        while byte > 0 do
            if byte >= 128 then seqs[#seqs + 1] = seq end
            byte, seq = byte % 128 * 2, seq + 1
        end
    end
    return seqs
end

-- Calls act with each seq of the index below the cursor, the newest first, until act says true.
local function walk_down(name, cursor, act)
    local from = cursor < 2 ^ 53 and block_of(cursor - 1) or '+inf'
    while true do
        local block = redis.call('ZREVRANGEBYSCORE', blocks_key(name), from, '-inf', 'LIMIT', 0, 1)[1]
        if not block then return end
        local seqs = seqs_of(name, block)
        for index = #seqs, 1, -1 do
            if seqs[index] < cursor and act(seqs[index]) then return end
        end
        from = '(' .. block
    end
end

-- The same upwards, with each seq above the cursor, the oldest first.
local function walk_up(name, cursor, act)
    local from = block_of(cursor + 1)
    while true do
        local block = redis.call('ZRANGEBYSCORE', blocks_key(name), from, '+inf', 'LIMIT', 0, 1)[1]
        if not block then return end
        for _, seq in ipairs(seqs_of(name, block)) do
            if seq > cursor and act(seq) then return end
        end
        from = '(' .. block
    end
end
