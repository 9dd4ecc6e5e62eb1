-- Sets limits up as the code says; what an operator has changed stays.
-- KEYS counts, limits
-- asks limits: rows (LimitSeed) as seed
-- gives nothing
-- with allow_oom, buckets
for _, seed in ipairs(ask.limits) do
    local old = read_limit(seed.name)
    local is_same = old and old.amount == seed.amount and old.period == seed.period and old.burst == seed.burst
    if not is_same and not (old and old.changed_at) then
        set_limit(seed.name, old, seed.amount, seed.period, seed.burst)
    end
end
return {}
