-- Workers that were lost more than a day ago.
DELETE FROM windlass_worker WHERE seen_at < :now - 86400000
