-- Lets go the jobs at these gates that wait for a concurrency key that is free, also from jobs that are gone.
-- KEYS counts, due, waiting, gates
-- asks gates: rows (key) as gate
-- gives let_go: rows (number); overwritten: see shared/overwritten
-- with chunks, allow_oom, index, state_sets, overwritten, concurrency
local HOLDS = {pending = true, running = true}

-- Jobs that vanished, or that an earlier release has ended, hold nothing.
local function forget_holders(key)
    for _, seq in ipairs(try('SMEMBERS', holders_key(key)) or {}) do
        if not HOLDS[try('HGET', job_key(seq), 'state')] then redis.call('SREM', holders_key(key), seq) end
    end
end

local let_go = {}
for _, gate in ipairs(ask.gates) do
    -- Other gates than those of keys have one line.
    if string.find(gate.key, '\n', 1, true) then
        forget_holders(gate.key)
        let_go[#let_go + 1] = {unblock(gate.key)}
    end
end
settle(try)
return {'let_go', let_go, 'overwritten', overwritten}
