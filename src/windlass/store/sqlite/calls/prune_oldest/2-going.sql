-- As many of them as hold :bytes together, but at least one: nearly always all, and then nobody has to add up.
-- binds going
SELECT CASE WHEN :page ->> 0 <= :bytes THEN :page -> 1 ELSE (
    SELECT json_group_array(json(value)) FROM (
        SELECT key, value, sum(value ->> 3) OVER (ORDER BY key) AS size FROM json_each(:page, '$[1]'))
    WHERE size <= :bytes OR key = 0) END
