-- Every claim takes a token of its rate. Needs rated, buckets, put_off and refused; gives paid, which has to be asked for.
paid AS MATERIALIZED (
    SELECT windlass_spend(named.name, named.taken, named.put_off, (SELECT clock.now FROM clock)) AS done FROM (
        SELECT rated.name,
            count(*) FILTER (WHERE rated.seq NOT IN (SELECT refused.seq FROM refused)) AS taken,
            count(*) FILTER (WHERE rated.seq IN (SELECT put_off.seq FROM put_off)) AS put_off
        FROM rated JOIN buckets ON buckets.name = rated.name
        WHERE buckets.tokens IS NOT NULL
        GROUP BY rated.name ORDER BY rated.name OFFSET 0) AS named
)
