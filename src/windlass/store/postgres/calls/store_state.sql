-- What the store says of itself: the bytes of its tables, and how many connections the database has.
-- gives state
SELECT 'size', CAST(sum(pg_total_relation_size(relation.oid)) AS bigint) FROM pg_class AS relation
WHERE relation.relkind = 'r' AND relation.relnamespace = (
    SELECT known.relnamespace FROM pg_class AS known WHERE known.oid = to_regclass('windlass_job'))
UNION ALL
SELECT 'connections', count(*) FROM pg_stat_activity WHERE datname = current_database()
