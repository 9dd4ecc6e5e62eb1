-- Keys whose window is over.
DELETE FROM windlass_key WHERE expires_at <= :now
