-- Lets go the jobs at these gates that wait for a concurrency key that is free, also from jobs that are gone. Has promote
-- look at those that wait for a token: when that was to be may have been lost, or the clock went back. And at parents that an
-- earlier release has ended, which knows no edges.
-- KEYS counts, due, waiting, gates, opening, rated, cooldowns, awaited, unsettled
-- asks gates: rows (key) as gate
-- gives let_go: rows (number); drifted: rows (KeyDrift) of those that jobs were said to hold which do not;
--       overwritten: see shared/overwritten
-- with chunks, allow_oom, index, state_sets, overwritten, concurrency, key_drift, rate_keys
local let_go, drifted = {}, {}

local FINAL = {completed = true, failed = true, cancelled = true}
local function find_unsettled()
    for _, seq in ipairs(redis.call('SRANDMEMBER', KEY.awaited, 200)) do
        local state = try('HGET', job_key(seq), 'state')
        if (not state or FINAL[state]) and redis.call('ZCOUNT', prefix .. 'children:' .. seq, 0, 0) > 0 then
            redis.call('SADD', KEY.unsettled, seq)
        end
    end
end

for _, gate in ipairs(ask.gates) do
    -- Other gates than those of keys have one line.
    if string.find(gate.key, '\n', 1, true) then
        -- Jobs that vanished, or that an earlier release has ended, hold nothing.
        local wrong = KEY_DRIFT.wrong_holders(gate.key)
        if #wrong > 0 then
            local counted = try('SCARD', holders_key(gate.key))
            drifted[#drifted + 1] = {KeyDrift; name = gate.key; counted = counted; held = counted - #wrong}
            for _, seq in ipairs(wrong) do redis.call('SREM', holders_key(gate.key), seq) end
        end
        let_go[#let_go + 1] = {unblock(gate.key)}
    elseif string.find(gate.key, '\t', 1, true) and (try('ZCARD', blocked_key(gate.key)) or 0) > 0 then
        RATES.spend(gate.key, 0)
        RATE_KEYS.note_line(gate.key)
    elseif gate.key == 'parents' then
        find_unsettled()
    end
end
settle(try)
return {'let_go', let_go, 'drifted', drifted, 'overwritten', overwritten}
