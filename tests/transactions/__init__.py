"""Enqueueing inside the caller's own transaction, with each library's real connections."""
