"""Alerts: the leader compares rules with figures.

Files, in reading order:

- ``figures``: Reads the windows of rules, and what is usual, from the store.
- ``round``: One round: rules and figures are read and compared, and what has changed is written.
- ``mutes``: Ends mutes that last until the next deploy.
- ``evaluation``: The duty: a round every ten seconds.
- ``evaluate``: One round by hand.
- ``delivery``: Delivers what alerts tell, by one channel.
"""
