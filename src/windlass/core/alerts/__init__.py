"""Alerts: rules as data, and what a rule has found, as far as they need no store.

Files, in reading order:

- ``records``: Rules, alerts, their events, and what is still to be delivered of them.
- ``measures``: The measures that rules can name: what each says, and of what it is known.
- ``expression``: The expressions of rules: read from a text, and compared with what was measured.
- ``rules``: What a rule may say, and the rules that every app has.
- ``silence``: A rule is silenced for a time: it fires as before, and nothing of that is delivered.
- ``window``: What was measured in a window of time, of the app or of one of its queues or tasks.
- ``evaluator``: Decides which alerts fire and which are resolved.
"""
