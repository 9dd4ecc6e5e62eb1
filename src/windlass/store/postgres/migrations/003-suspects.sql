-- Suspects, whose last run died with its process, wait in a place of their own: a cycle takes at most one of them.
-- Releases that know fewer steps go on with it; they take suspects like all others, and look longer for each job.
-- compatible from 1

ALTER TABLE windlass_ready ADD COLUMN suspect boolean NOT NULL DEFAULT false;
UPDATE windlass_ready AS ready SET suspect = true FROM windlass_job AS job
WHERE job.seq = ready.seq AND job.crashes + job.rescues > 0;
DROP INDEX windlass_ready_next;
CREATE UNIQUE INDEX ready_next ON windlass_ready (queue, suspect, priority DESC, since, seq);
-- Tells a claim that there are none, which is nearly always.
CREATE INDEX ready_suspect ON windlass_ready (queue, priority DESC, since, seq) WHERE suspect;

-- The job that rescue holds responsible for the loss of the lease, so that all pages of a rescue decide alike.
ALTER TABLE windlass_lease ADD COLUMN blamed bigint;
