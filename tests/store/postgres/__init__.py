"""What holds on PostgreSQL only."""
