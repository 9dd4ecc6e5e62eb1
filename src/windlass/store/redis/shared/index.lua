-- Jobs by seq: a bit for each, in blocks. A sorted set of all jobs would take a hundred bytes for each of them.
-- Names of indexes: all, failed, cancelled.
local BLOCK = 4096

local function block_of(seq) return math.floor(seq / BLOCK) end
local function bits_key(name, block) return prefix .. 'bits:' .. name .. ':' .. written(block) end
local function blocks_key(name) return prefix .. 'blocks:' .. name end

-- Takes so many seqs for new jobs; the last of them. None is given out twice. Needs KEY.seq. Writes what a server
-- without memory refuses.
local function take_seqs(number)
    local last = redis.call('INCRBY', KEY.seq, number)
    if last > number then return last end
    -- The counter is new. If somebody deleted it, the jobs that are there must not be overwritten.
    local newest = redis.call('ZREVRANGE', blocks_key('all'), 0, 0)[1]
    return newest and redis.call('INCRBY', KEY.seq, (newest + 1) * BLOCK) or last
end

local function add_to_index(name, seq)
    local block = block_of(seq)
    redis.call('SETBIT', bits_key(name, block), seq % BLOCK, 1)
    redis.call('ZADD', blocks_key(name), block, block)
end

-- Adds the seqs from first to last, whole bytes at a time.
local function add_run_to_index(name, first, last)
    local seq = first
    while seq <= last do
        local block, offset = block_of(seq), seq % BLOCK
        local left = math.min(last - seq + 1, BLOCK - offset)
        if offset % 8 == 0 and left >= 8 then
            local bytes = math.floor(left / 8)
            redis.call('SETRANGE', bits_key(name, block), offset / 8, string.rep('\255', bytes))
            redis.call('ZADD', blocks_key(name), block, block)
            seq = seq + 8 * bytes
        else
            add_to_index(name, seq)
            seq = seq + 1
        end
    end
end

-- Clears bits of one block, all at once: a command for each would take longer than the rest of a removal.
local function clear_bits(key, offsets)
    local bits, bytes, chunks = redis.call('GET', key), {}, {}
    if not bits then return end
    -- In portions that Lua's stack can hold.
    for first = 1, #bits, 256 do
        for _, byte in ipairs({string.byte(bits, first, first + 255)}) do bytes[#bytes + 1] = byte end
    end
    for _, offset in ipairs(offsets) do
        local index, mask = math.floor(offset / 8) + 1, bit.lshift(1, 7 - offset % 8)
        if bytes[index] then bytes[index] = bit.band(bytes[index], bit.bnot(mask)) end
    end
    for first = 1, #bytes, 256 do
        chunks[#chunks + 1] = string.char(unpack(bytes, first, math.min(first + 255, #bytes)))
    end
    redis.call('SET', key, table.concat(chunks))
end

local MANY_BITS = 50
local function remove_from_index(name, seqs)
    local touched = {}
    for _, seq in ipairs(seqs) do
        local offset = seq % BLOCK
        local block = (seq - offset) / BLOCK
        local offsets = touched[block]
        if not offsets then
            offsets = {}
            touched[block] = offsets
        end
        offsets[#offsets + 1] = offset
    end
    for block, offsets in pairs(touched) do
        if #offsets < MANY_BITS then
            for _, offset in ipairs(offsets) do redis.call('SETBIT', bits_key(name, block), offset, 0) end
        else
            clear_bits(bits_key(name, block), offsets)
        end
        if redis.call('BITCOUNT', bits_key(name, block)) == 0 then
            redis.call('DEL', bits_key(name, block))
            redis.call('ZREM', blocks_key(name), block)
        end
    end
end
