-- The counters of running jobs of limited queues that are not what the leases hold; there is none unless something is wrong.
-- KEYS counts, queues, configured, lease_until, lease_from
-- without epoch
-- gives drifted: rows (CounterDrift)
-- with lease, limits, drift
return {'drifted', drifted()}
