"""Faults of real processes: killed, stopped, forked, signalled, locked out."""
