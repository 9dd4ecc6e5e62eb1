-- Blocked jobs wait at a gate: what they wait for has a name, and lets the first of them go when it is free.

ALTER TABLE windlass_job ADD COLUMN gate TEXT;
CREATE INDEX windlass_job_blocked ON windlass_job (gate, priority DESC, run_at, seq) WHERE state = 'blocked';

-- They count against max_length like all others that wait.
DROP INDEX windlass_job_waiting;
CREATE INDEX windlass_job_waiting ON windlass_job (queue, state) WHERE state IN ('scheduled', 'retrying', 'blocked');
