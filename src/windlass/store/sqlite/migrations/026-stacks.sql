-- The token of an operator who wants to see where the threads of a worker are; the answer is a part of its report. Workers that
-- were started before this step do not answer.

ALTER TABLE windlass_worker ADD COLUMN stacks TEXT;
