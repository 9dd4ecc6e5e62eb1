-- Locks the counters of running jobs, those of queues that are touched and that of all, as far as there are limits. A lock
-- reads the newest row, so what it says holds until the commit. Needs touched; gives gate.
--
-- They are locked in the order of their names, after leases, keys and rows of running, and before rows of ready, for which
-- no claim waits.
gate AS MATERIALIZED (
    SELECT gate.name, gate.max_running, gate.running FROM windlass_gate AS gate
    -- Without any limit nothing else is looked at.
    WHERE (SELECT true FROM windlass_gate LIMIT 1)
    AND gate.name = ANY (ARRAY(
        SELECT touched.queue FROM touched UNION ALL SELECT '*' WHERE EXISTS (SELECT 1 FROM touched)))
    ORDER BY gate.name
    FOR UPDATE
)
