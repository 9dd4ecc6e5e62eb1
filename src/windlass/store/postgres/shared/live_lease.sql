-- Whether a lease is open and in time: only then its worker claims jobs, and keeps those that it has. Needs clock.
    lease.state = 'open' AND lease.renewed_at - lease.ttl <= clock.now AND clock.now < lease.renewed_at + lease.ttl
