"""Delivery of alerts, to small servers on this machine."""
