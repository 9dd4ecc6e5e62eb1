-- Nothing swells here: a page that becomes free is used again at once.
-- gives bloated_tables
SELECT NULL, 0, 0 WHERE false
