-- How many; the position of the last one; whether there may be more behind it.
-- gives pruned
SELECT json_array_length(:page), :page ->> '$[#-1][2]', :page ->> '$[#-1][0]', :page ->> '$[#-1][3]'
WHERE json_array_length(:page) > 0
