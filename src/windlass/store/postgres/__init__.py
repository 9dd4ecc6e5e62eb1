"""Jobs in one schema of a PostgreSQL database."""
