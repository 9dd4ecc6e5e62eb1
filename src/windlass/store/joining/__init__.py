"""Enqueueing inside a transaction that belongs to the caller, on the caller's own connection."""
