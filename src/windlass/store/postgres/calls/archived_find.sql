-- Where the archive has the newest job with an id, by the index on ids.
-- gives jobs
SELECT {ArchivedPlace; size = octet_length(job); cursor = ''} FROM (
    -- Apart, or the planner might walk through all weeks, in the order that is wanted, until it meets the id.
    SELECT * FROM windlass_archive WHERE id = CAST(:id AS text) OFFSET 0) AS found
ORDER BY week DESC, seq DESC LIMIT 1
