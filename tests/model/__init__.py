"""The store against a model of it: the same random histories, the same answers."""
