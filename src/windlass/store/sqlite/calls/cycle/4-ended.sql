-- How many of those were accepted.
-- only with endings
-- gives ended
SELECT changes()
