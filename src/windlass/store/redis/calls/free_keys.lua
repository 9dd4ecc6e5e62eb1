-- Keys whose job is gone: a unique key goes with its job, and tidy follows up what was lost.
-- gives keys: no rows
return {'keys', {}}
