-- Whether anything was stored; where not, somebody has to look closer.
-- gives stored
SELECT 1 WHERE changes() > 0
