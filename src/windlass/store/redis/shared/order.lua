-- The order among pending jobs, as a score: priority first (higher is smaller), then the instant from which on the job
-- could have been claimed, had nothing been before it. With equal scores the member decides, which ends with the seq.
-- A score has 53 bits: 42 for the milliseconds, which last until 2109, and 10 for the priority.
local TURNS = 4398046511104 -- 2^42

local function turn(priority, since)
    return written((500 - priority) * TURNS + math.max(0, math.min(tonumber(since) or now, TURNS - 1)))
end

local function since_of(score) return score % TURNS end

-- The first layout had the score 0 for all. Such jobs come before others until a claim gives them their turns.
local WITHOUT_TURN = written(TURNS - 1)
local function has_turn(score) return tonumber(score) >= TURNS end
