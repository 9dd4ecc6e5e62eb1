"""``windlass demo``: a small story on a temporary file. All that it shows is read from the store."""
