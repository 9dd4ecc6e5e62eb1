-- Commands with any number of arguments, in portions that Lua's stack can hold.
-- The number is even, so that pairs of field and value stay together.
local PORTION = 4000

local function in_portions(values, act)
    for first = 1, #values, PORTION do
        act(unpack(values, first, math.min(first + PORTION - 1, #values)))
    end
end

-- The values behind many keys, in order; false where there is none.
local function read_all(command, key, names)
    local found = {}
    in_portions(names, function(...)
        local values
        if key then values = redis.call(command, key, ...) else values = redis.call(command, ...) end
        for index = 1, select('#', ...) do found[#found + 1] = values[index] end
    end)
    return found
end
