-- Workers that were lost more than a day ago, :limit at a time.
-- gives workers
DELETE FROM windlass_worker WHERE id IN (SELECT id FROM windlass_worker WHERE seen_at < :now - 86400000 LIMIT :limit)
RETURNING 1
