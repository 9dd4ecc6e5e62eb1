"""The pure part: decisions without I/O, clock or logging."""
