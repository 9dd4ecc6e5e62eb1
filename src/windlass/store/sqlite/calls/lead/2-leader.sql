-- gives leader
SELECT holder, term, renewed_at + ttl - :now FROM windlass_leader WHERE duty = :duty
