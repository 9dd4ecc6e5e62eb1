-- The edges from these jobs to those that wait, or waited, for them, in order, behind (after_parent, after_child).
-- without epoch
-- asks seqs in order, after_parent, after_child, limit
-- gives edges: rows (parent, child); overwritten: see shared/overwritten
-- with overwritten
local edges = {}
for _, parent in ipairs(ask.seqs) do
    if parent >= ask.after_parent and #edges < ask.limit then
        local children, seen = {}, {}
        local function add(child)
            if not seen[child] and (parent > ask.after_parent or tonumber(child) > ask.after_child) then
                children[#children + 1] = tonumber(child)
            end
            seen[child] = true
        end
        for _, child in ipairs(try('ZRANGE', prefix .. 'children:' .. written(parent), 0, -1) or {}) do add(child) end
        for callback in string.gmatch(try('HGET', job_key(written(parent)), 'groups') or '', '(%d+):') do add(callback) end
        table.sort(children)
        for _, child in ipairs(children) do
            if #edges < ask.limit then edges[#edges + 1] = {parent, child} end
        end
    end
end
return {'edges', edges, 'overwritten', overwritten}
