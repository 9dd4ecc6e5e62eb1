-- Lets go the jobs at these gates that wait for a concurrency key that is free.
-- :gates rows (key)
-- each gates (key)
-- gives let_go
-- here unblock
AND instr(gate, char(10)) > 0
RETURNING 1
