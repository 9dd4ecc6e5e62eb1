-- 1. payload
-- What lay beside those of :{jobs} that are not there any more goes with them.
-- only if {jobs}
DELETE FROM windlass_payload WHERE seq IN (SELECT value FROM json_each(:{jobs}))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_payload.seq)

-- 2. tags
-- only if {jobs}
DELETE FROM windlass_tag WHERE seq IN (SELECT value FROM json_each(:{jobs}))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_tag.seq)

-- 3. steps
-- only if {jobs}
DELETE FROM windlass_step WHERE seq IN (SELECT value FROM json_each(:{jobs}))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_step.seq)

-- 4. edges
-- only if {jobs}
DELETE FROM windlass_edge WHERE child IN (SELECT value FROM json_each(:{jobs}))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_edge.child)

-- 5. children
-- What waits for them is to be looked at.
-- only if {jobs}
UPDATE OR FAIL windlass_edge SET state = 0 WHERE state = 1 AND parent IN (SELECT value FROM json_each(:{jobs}))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_edge.parent)

-- 6. members
-- only if {jobs}
DELETE FROM windlass_member WHERE callback IN (SELECT value FROM json_each(:{jobs}))
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_member.callback)
