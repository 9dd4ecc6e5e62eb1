"""Alerts in the store: rules, alerts with their history, and what is still to be delivered.

Files, in reading order:

- ``rules``: Declares, lists, changes, silences and deletes rules.
- ``alerts``: Fires, acknowledges and resolves alerts, and lists them.
- ``transfer``: Reads and stores rules and alerts for a move to another store.
- ``deliveries``: Events that are still to be delivered, by channel.
"""
