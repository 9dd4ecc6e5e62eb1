"""Jobs that run programs: commands, one process for each, and helpers, which stay and answer line by line."""
