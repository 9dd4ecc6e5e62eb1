-- Within a queue and a priority jobs come in the order in which they became ready (since), not in the order of seq.
-- Releases that know step 1 only go on with it; they take jobs in their old order, and look longer for each.
-- compatible from 1

-- A row of ready is found by the run_at of its job, so the two have to be equal.
UPDATE windlass_ready AS ready SET since = job.run_at FROM windlass_job AS job
WHERE job.seq = ready.seq AND ready.since <> job.run_at;
DROP INDEX windlass_ready_next;
CREATE UNIQUE INDEX ready_next ON windlass_ready (queue, priority DESC, since, seq);
