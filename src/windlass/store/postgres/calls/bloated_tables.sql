-- The tables through which every job passes, if they have grown and this user may vacuum them: pages, and rows that are
-- dead as far as the server knows. A small table is left alone: it costs nothing, and the planner would remember it as
-- small and read all of it when it has grown.
-- gives bloated_tables
SELECT class.relname, pg_relation_size(class.oid) / 8192, pg_stat_get_dead_tuples(class.oid)
FROM pg_class AS class
WHERE class.oid IN ('windlass_ready'::regclass, 'windlass_due'::regclass, 'windlass_running'::regclass,
    'windlass_tally'::regclass)
AND pg_relation_size(class.oid) >= 64 * 8192 AND pg_has_role(class.relowner, 'USAGE')
ORDER BY class.relname
