"""One measurement, one file."""
