-- What was cleaned and how long it took, where there was something.
INSERT INTO windlass_event (at, kind, worker, detail) SELECT :now, 'cleaned', :by, :detail WHERE :detail IS NOT NULL
