"""Applications with a transaction of their own: one class for each kind of connection."""
