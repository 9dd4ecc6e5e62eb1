"""A rack that mixes faults: ``make torture STORE=redis MINUTES=10 SEED=7``.

``plan`` draws faults from a seed, ``fleet`` runs real workers, ``producer`` enqueues, ``faults`` strikes, ``witness``
keeps what tasks and callers saw, ``invariants`` and ``idleness`` judge by those lines and the store, ``report`` prints.
``traffic``, ``flows`` and ``leases`` are parts of the mix. ``mutants`` plants bugs that the rack must find.
"""
