-- Counts the running jobs of limited queues anew, while no job is claimed or ended; the counters that were wrong.
-- gives drifted
SELECT name, counted, running FROM windlass_recount() ORDER BY name
