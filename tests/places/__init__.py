"""Where the jobs of one test live, on each store, and what is done to them there past the API."""
