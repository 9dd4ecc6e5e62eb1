-- Keys of ours that hold something else, because another program wrote to them. A script for many queues or jobs goes
-- on without what it cannot read and gives `overwritten`, rows (key); all other scripts are refused by the server.
local overwritten = {}

-- What a command gives, or nothing where its key was overwritten.
local function try(command, key, ...)
    local given = redis.pcall(command, key, ...)
    if type(given) ~= 'table' or not given.err then return given end
    if not string.find(given.err, 'WRONGTYPE', 1, true) then return redis.call(command, key, ...) end
    overwritten[#overwritten + 1] = {key}
end

-- The state of a job that may run now. While the place of those is overwritten it waits among the due ones, where
-- promote finds it again and again.
local function ready(queue, suspect)
    return try('ZCARD', prefix .. (suspect and 'suspects:' or 'pending:') .. queue) and 'pending' or 'scheduled'
end
