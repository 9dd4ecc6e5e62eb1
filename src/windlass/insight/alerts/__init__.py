"""Alerts, their rules and their deliveries as people see them.

Files, in reading order:

- ``views``: What is shown of an alert, a rule and a delivery.
- ``reads``: Reads them: one, or a page.
- ``json_form``: The same as values for JSON: one form for the command line and for HTTP.
"""
