-- Takes the lead where it is free or has expired, or keeps it. The term grows whenever the leader changes.
-- gives leader
WITH
-- here clock
INSERT INTO windlass_leader AS leader (duty, holder, term, ttl, renewed_at)
SELECT CAST(:duty AS text), CAST(:holder AS text), 1, CAST(:ttl AS bigint), now FROM clock
-- A row that stays as it is is written too: only so does the answer show it as it stands under its lock, and not as it
-- was when the statement began.
ON CONFLICT (duty) DO UPDATE SET (holder, term, ttl, renewed_at) = (
    SELECT CASE WHEN is_ours THEN excluded.holder ELSE leader.holder END,
        leader.term + CASE WHEN is_ours AND leader.holder <> excluded.holder THEN 1 ELSE 0 END,
        CASE WHEN is_ours THEN excluded.ttl ELSE leader.ttl END,
        CASE WHEN is_ours THEN excluded.renewed_at ELSE leader.renewed_at END
    FROM (
        SELECT leader.holder = excluded.holder OR NOT (
            leader.renewed_at - leader.ttl <= excluded.renewed_at
            AND excluded.renewed_at < leader.renewed_at + leader.ttl) AS is_ours) AS judged)
RETURNING leader.holder, leader.term, leader.renewed_at + leader.ttl - (SELECT now FROM clock)
