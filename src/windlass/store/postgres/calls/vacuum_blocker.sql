-- The holder of the oldest transaction among those that keep dead rows of this database from being removed: a session
-- that has written something or still uses a snapshot, a standby that feeds back, a transaction that was prepared and
-- then forgotten.
-- gives vacuum_blocker
--
-- Of sessions of others a user may see neither when their transaction began nor what kind they are, unless the role
-- has pg_read_all_stats. Autovacuum's own keep nothing.
SELECT holder, transaction, CAST(extract(epoch FROM began) * 1000 AS bigint) AS since
FROM (
    SELECT format('process %s (%s)', pid, coalesce(nullif(application_name, ''), usename, 'replication')) AS holder,
        CAST(coalesce(backend_xid, backend_xmin) AS text) AS transaction, xact_start AS began,
        greatest(age(backend_xid), age(backend_xmin)) AS age
    FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND (datname IS NULL OR datname = current_database())
    AND backend_type IS DISTINCT FROM 'autovacuum worker'
    UNION ALL
    SELECT format('prepared transaction %L', gid), CAST(transaction AS text), prepared, age(transaction)
    FROM pg_prepared_xacts WHERE database = current_database()
) AS holding
WHERE age IS NOT NULL
ORDER BY age DESC LIMIT 1
