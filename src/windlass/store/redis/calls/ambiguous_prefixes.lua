-- Of the given id prefixes, those that more than one job has. Ids have no order here; but ids that begin alike were
-- made in the same millisecond, as a rule by one call, so their jobs are neighbours: only those are looked at.
-- without epoch
-- asks starts; seqs: the number of a job with each of them
-- gives starts: rows (text); overwritten: see shared/overwritten
-- with overwritten
local shared = {}
for index, start in ipairs(ask.starts) do
    for _, number in ipairs({ask.seqs[index] - 1, ask.seqs[index] + 1}) do
        local id = try('HGET', job_key(written(number)), 'id')
        if id and string.sub(id, 1, #start) == start then
            shared[#shared + 1] = {start}
            break
        end
    end
end
return {'starts', shared, 'overwritten', overwritten}
