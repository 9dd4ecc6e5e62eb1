delivered AS (
    -- What is to be delivered of alerts that have fired or were resolved by this call; an event goes to a channel once.
    INSERT INTO windlass_alert_delivery (alert, kind, channel, state, tries, created_at, next_try_at)
    SELECT {told.alert}, {told.kind}, {told.channel}, 'waiting', 0, clock.now, clock.now
    FROM clock, jsonb_array_elements(CAST(:deliveries AS jsonb)) WITH ORDINALITY AS told (value, place)
    WHERE {told.alert} IN (SELECT changed.id FROM changed WHERE changed.kind = {told.kind})
    ORDER BY told.place
    ON CONFLICT DO NOTHING
)
