"""B19: the HTTP API, through HTTP."""
