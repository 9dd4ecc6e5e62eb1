-- 1. token
-- Tokens that were revoked, or have expired, longer ago than :gone_for, :limit at a time.
-- gives tokens
DELETE FROM windlass_token WHERE name IN (
    SELECT name FROM windlass_token
    WHERE revoked_at < :now - :gone_for OR expires_at < :now - :gone_for LIMIT :limit)
RETURNING 1

-- 2. old
-- Entries that are older than :kept_for, :limit at a time.
-- gives old
DELETE FROM windlass_audit WHERE number IN (
    SELECT number FROM windlass_audit WHERE at < :now - :kept_for ORDER BY at LIMIT :limit)
RETURNING 1

-- 3. many
-- The oldest entries beyond :most, :limit at a time.
-- gives many
DELETE FROM windlass_audit WHERE number IN (
    SELECT number FROM windlass_audit WHERE number <= (SELECT max(number) FROM windlass_audit) - :most
    ORDER BY number LIMIT :limit)
RETURNING 1
