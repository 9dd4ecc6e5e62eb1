-- 1. tags
-- Removes what points at jobs that are not there.
-- :strays rows (kind, name, seq) as stray
DELETE FROM windlass_tag WHERE (tag, seq) IN (
    SELECT {stray.name}, {stray.seq} FROM jsonb_each(:strays) AS stray WHERE {stray.kind} = 'tag')
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_tag.seq)

-- 2. edges
-- :strays rows (kind, name, seq) as stray
DELETE FROM windlass_edge WHERE child IN (
    SELECT {stray.seq} FROM jsonb_each(:strays) AS stray WHERE {stray.kind} = 'edge')
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_edge.child)

-- 3. steps
-- :strays rows (kind, name, seq) as stray
DELETE FROM windlass_step WHERE seq IN (
    SELECT {stray.seq} FROM jsonb_each(:strays) AS stray WHERE {stray.kind} = 'step')
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_step.seq)

-- 4. payloads
-- :strays rows (kind, name, seq) as stray
DELETE FROM windlass_payload WHERE seq IN (
    SELECT {stray.seq} FROM jsonb_each(:strays) AS stray WHERE {stray.kind} = 'payload')
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_payload.seq)

-- 5. members
-- :strays rows (kind, name, seq) as stray
DELETE FROM windlass_member WHERE callback IN (
    SELECT {stray.seq} FROM jsonb_each(:strays) AS stray WHERE {stray.kind} = 'member')
AND NOT EXISTS (SELECT 1 FROM windlass_job WHERE windlass_job.seq = windlass_member.callback)
