-- Which database of which running server this connection is to; with a channel, also tells there that jobs may be taken,
-- which others hear when the transaction commits.
-- :channel where to tell, or null
-- gives identity
--
-- Not an id that we keep in the store: a copy of a database has the same one. The time is written the same way whatever
-- a caller's session has set.
SELECT concat_ws(' ',
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')),
    (SELECT count(pg_notify(news.channel, '')) FROM (SELECT CAST(:channel AS text) AS channel) AS news
        WHERE news.channel IS NOT NULL)
