-- Old events of jobs that are kept, and the oldest beyond a bound.
DELETE FROM windlass_event WHERE at < :now - 2592000000 OR number <= (SELECT max(number) FROM windlass_event) - 1000000
