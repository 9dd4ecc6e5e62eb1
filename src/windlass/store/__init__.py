"""What is asked of a store, and the stores that answer."""
