-- Whether nothing lies beside the row of {job}, as far as the row itself tells: its key and its events are looked up.
    {job}.linked = 0 AND {job}.tags IS NULL AND {job}.has_steps = 0
    AND {job}.payload <> '{"v":2,"payload":"apart"}'
