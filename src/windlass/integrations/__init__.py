"""Windlass together with libraries that not everybody has; each is imported when it is switched on."""
