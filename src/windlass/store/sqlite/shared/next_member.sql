-- The callbacks of :unsettled whose watched member has ended wait for the next member that they have to wait for; those that have
-- none stay as they are, and are released. Only ended ones lie between: each is passed by once.
UPDATE windlass_edge SET watched = found.place,
    parent = (SELECT own.member FROM windlass_member AS own WHERE own.callback = found.child AND own.place = found.place)
FROM (
    SELECT edge.child, (
        SELECT own.place FROM windlass_member AS own
        WHERE own.callback = edge.child AND own.place > edge.watched AND NOT
            -- here is_done (seq = own.member, policy = edge.policy)
        ORDER BY own.place LIMIT 1) AS place
    FROM json_each(:unsettled) AS wanted CROSS JOIN windlass_edge AS edge
    WHERE edge.child = wanted.value AND edge.place = -1 AND edge.state = 0 AND
        -- here is_done (seq = edge.parent, policy = edge.policy)
) AS found
WHERE found.place IS NOT NULL AND windlass_edge.child = found.child AND windlass_edge.place = -1
