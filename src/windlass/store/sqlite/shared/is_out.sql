-- Whether there is no token for {job}, which has a rate key. While jobs wait there is none for those that come later; one
-- that was let go, or has its concurrency key, does not line up again. {own} as in rate_tokens.
    coalesce(
        -- here rate_tokens (key = {job}.rate_key, own = {own})
        < iif({job}.promised = 0 AND
            -- here has_line (key = {job}.rate_key)
        , 1000000000, 1), false)
