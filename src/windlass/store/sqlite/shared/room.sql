-- How many jobs of {queue} may be taken now, if {asked} are asked for: less where its limit, that of all queues, or its rate
-- leaves less. {taken} and {all} are how many this call has taken of it, and of all, which the counters do not know yet.
    max(0, min(
        {asked},
        coalesce((SELECT max_running - running FROM windlass_gate WHERE name = {queue}) - {taken}, {asked}),
        coalesce((SELECT max_running - running FROM windlass_gate WHERE name = '*') - {all}, {asked}),
        coalesce((
            SELECT (
                -- here filled
            ) / period FROM windlass_rate WHERE name = {queue}) - {taken}, {asked})))
