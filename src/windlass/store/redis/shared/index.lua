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
    -- The counter is new. If it was deleted, the jobs that are there must not be overwritten.
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

-- Clears bits of one block, all at once: a command for each would take longer than the rest of a removal. Reads and
-- writes only the bytes that they are in.
local CLEARED = {[0] = 127, 191, 223, 239, 247, 251, 253, 254}
local function clear_bits(key, offsets)
    local first, last = math.huge, 0
    for _, offset in ipairs(offsets) do first, last = math.min(first, offset), math.max(last, offset) end
    first, last = math.floor(first / 8), math.floor(last / 8)
    local bits, bytes, chunks = redis.call('GETRANGE', key, first, last), {}, {}
    -- In portions that Lua's stack can hold.
    for from = 1, #bits, 256 do
        for _, byte in ipairs({string.byte(bits, from, from + 255)}) do bytes[#bytes + 1] = byte end
    end
    for _, offset in ipairs(offsets) do
        local bit_of_byte = offset % 8
        local index = (offset - bit_of_byte) / 8 - first + 1
        if bytes[index] then bytes[index] = bit.band(bytes[index], CLEARED[bit_of_byte]) end
    end
    for from = 1, #bytes, 256 do
        chunks[#chunks + 1] = string.char(unpack(bytes, from, math.min(from + 255, #bytes)))
    end
    redis.call('SETRANGE', key, first, table.concat(chunks))
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
        local key = bits_key(name, block)
        if #offsets < MANY_BITS then
            for _, offset in ipairs(offsets) do redis.call('SETBIT', key, offset, 0) end
        else
            clear_bits(key, offsets)
        end
        if redis.call('BITCOUNT', key) == 0 then
            redis.call('DEL', key)
            redis.call('ZREM', blocks_key(name), block)
        end
    end
end
