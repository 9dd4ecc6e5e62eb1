-- What somebody wants of this worker and who that is, whether its lease is still open, and the time.
-- gives signal
SELECT (SELECT signal FROM windlass_worker WHERE id = :worker),
    (SELECT signalled_by FROM windlass_worker WHERE id = :worker),
    EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open'),
    :now
