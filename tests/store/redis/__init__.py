"""What is particular to Redis and Valkey: addresses, connections, servers in trouble."""
