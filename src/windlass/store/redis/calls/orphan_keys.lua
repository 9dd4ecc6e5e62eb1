-- Keys whose job is gone: a unique key goes with its job, and tidy_leftovers follows up what vanished.
-- gives keys: no rows; looked: one row (how many were looked at, the last of them)
return {'keys', {}, 'examined', {{0, false}}}
