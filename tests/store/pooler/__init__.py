"""PostgreSQL behind a pooler that changes the server connection after every transaction."""
