-- In how many milliseconds a bucket has a token.
    max(0, (period + amount - 1 - (
        -- here filled
    )) / amount)
