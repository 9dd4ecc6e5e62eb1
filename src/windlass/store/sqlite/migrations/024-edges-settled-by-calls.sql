-- The calls that end jobs settle the edges of these jobs themselves, all of a call at once and only where jobs wait for others:
-- a trigger on the state of a job cost every claim and every ending. What a process that was started before this step ends is
-- found by the leader.

DROP TRIGGER windlass_parent_ended;
DROP TRIGGER windlass_child_cancelled;
