-- Whether a lease is open and in time: only then its worker claims jobs, and keeps those that it has.
    windlass_lease.state = 'open' AND windlass_lease.renewed_at - windlass_lease.ttl <= :now
    AND :now < windlass_lease.renewed_at + windlass_lease.ttl
