-- A lost lease whose jobs are all free has done its duty as a marker for its owner after a day.
DELETE FROM windlass_lease WHERE state = 'lost' AND renewed_at < :now - 86400000
