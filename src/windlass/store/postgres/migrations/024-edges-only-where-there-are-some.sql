-- Endings and deletions look for edges only where a store has some: they paid a look-up for each job.
-- compatible from 1

-- Looks at the edges of these parents, which have ended or are gone. What a statement of the trigger itself has ended is left to
-- it: it goes on in rounds, so that no depth of a graph is too much.
CREATE OR REPLACE FUNCTION windlass_settle_parents(parents bigint[], at bigint, channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    children bigint[];
BEGIN
    -- The first entry of an index answers; a table that was emptied may have many dead rows.
    IF NOT EXISTS (SELECT 1 FROM windlass_edge AS edge WHERE edge.state < 2 ORDER BY edge.child LIMIT 1) THEN
        RETURN;
    END IF;
    children := ARRAY(
        SELECT DISTINCT found.child FROM unnest(parents) AS ended (parent) CROSS JOIN LATERAL (
            SELECT edge.child FROM windlass_edge AS edge WHERE edge.parent = ended.parent AND edge.state < 2
            OFFSET 0) AS found);
    IF cardinality(children) = 0 THEN
        RETURN;
    END IF;
    UPDATE windlass_edge AS edge SET state = 0 WHERE edge.parent = ANY (parents) AND edge.state = 1;
    IF pg_trigger_depth() = 1 THEN
        -- More are left to promote.
        PERFORM pg_notify(channel, '') FROM (
            SELECT count(*) AS number FROM windlass_settle_edges(children[1:500], at, false) AS settled
            WHERE settled.state = 'pending') AS released
        WHERE released.number > 0;
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION windlass_parents_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    seqs bigint[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM windlass_edge AS edge ORDER BY edge.child, edge.place LIMIT 1) THEN
        RETURN NULL;
    END IF;
    seqs := ARRAY(SELECT gone.seq FROM gone);
    -- The edges of a child go with it.
    DELETE FROM windlass_edge AS edge WHERE edge.child = ANY (seqs);
    PERFORM windlass_settle_parents(
        seqs, CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint), TG_TABLE_SCHEMA || '.work');
    RETURN NULL;
END
$$;
