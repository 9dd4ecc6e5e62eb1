-- How many endings were accepted; when all were, nobody needs to ask which.
-- only with endings
-- gives ended
SELECT changes()
