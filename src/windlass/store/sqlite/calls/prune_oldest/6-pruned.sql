-- How many; the position of the last one; whether there may be more behind it.
-- gives pruned
SELECT json_array_length(:going), :going ->> '$[#-1][2]', :going ->> '$[#-1][0]',
    json_array_length(:going) < json_array_length(:page, '$[1]') OR json_array_length(:page, '$[1]') = :limit
WHERE json_array_length(:going) > 0
