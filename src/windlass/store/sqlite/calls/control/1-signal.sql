-- What somebody wants of this worker, and whether its lease is still open.
-- gives signal
SELECT (SELECT signal FROM windlass_worker WHERE id = :worker),
    EXISTS (SELECT 1 FROM windlass_lease WHERE id = :lease AND state = 'open')
