"""Windlass together with other libraries."""
