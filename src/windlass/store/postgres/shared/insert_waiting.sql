-- Puts jobs that were just stored where they wait. Needs stored.
ready AS (
    INSERT INTO windlass_ready (seq, since, priority, queue, start_by)
    SELECT seq, run_at, priority, queue, start_by FROM stored WHERE waiting = 'pending'
), due AS (
    INSERT INTO windlass_due (seq, run_at, state, queue, start_by)
    SELECT seq, run_at, waiting, queue, start_by FROM stored WHERE waiting = 'scheduled'
)
