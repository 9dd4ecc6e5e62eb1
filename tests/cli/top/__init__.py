"""``windlass top``."""
