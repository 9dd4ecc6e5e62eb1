-- Whether {seq} waits, or waited, for other jobs, or others for it.
    EXISTS (SELECT 1 FROM windlass_edge WHERE windlass_edge.parent = {seq})
    OR EXISTS (SELECT 1 FROM windlass_edge WHERE windlass_edge.child = {seq})
    OR EXISTS (SELECT 1 FROM windlass_member WHERE windlass_member.member = {seq})
