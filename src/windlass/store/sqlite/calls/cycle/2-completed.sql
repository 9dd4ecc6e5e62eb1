-- How many of them were accepted; when all were, nobody needs to ask which.
-- only with completed
-- gives completed
SELECT changes()
