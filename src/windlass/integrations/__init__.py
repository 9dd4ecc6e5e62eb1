"""Other libraries; each is imported only when it is used.

Files, in reading order:

- ``opentelemetry``: OpenTelemetry: traces from an enqueue to its runs.
"""
