-- Ids that begin with a text, in order; a range of the index on ids. No id goes on with the last character there is.
-- gives ids
SELECT id FROM windlass_job WHERE id >= :prefix AND id < :prefix || char(1114111) ORDER BY id LIMIT :limit
