-- Takes jobs that wait out of the tables in which they do. By their place there: they are locked, and such a row is
-- never updated. Needs ready, due and blocked, rows with place and seq, and locked_gates, because the triggers of these
-- tables may give keys back.
from_ready AS (
    DELETE FROM windlass_ready AS gone USING ready
    WHERE (SELECT count(*) FROM locked_gates) >= 0 AND gone.ctid = ready.place AND ready.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
), from_due AS (
    DELETE FROM windlass_due AS gone USING due
    WHERE gone.ctid = due.place AND due.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
), from_blocked AS (
    DELETE FROM windlass_blocked AS gone USING blocked
    WHERE gone.ctid = blocked.place AND blocked.seq BETWEEN 0 AND 9223372036854775807
    RETURNING gone.seq
)
