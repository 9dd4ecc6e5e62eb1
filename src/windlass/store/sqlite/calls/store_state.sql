-- What the store says of itself: the size of the database in bytes.
-- gives state
SELECT 'size', page_count * page_size FROM pragma_page_count(), pragma_page_size()
