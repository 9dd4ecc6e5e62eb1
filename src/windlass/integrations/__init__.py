"""Other libraries; each is imported only when it is used.

Files, in reading order:

- ``prometheus``: Prometheus: the text of ``/metrics``, for the store as a whole and for one worker.
- ``opentelemetry``: OpenTelemetry: traces from an enqueue to its runs.
- ``opentelemetry_metrics``: OpenTelemetry: metrics of enqueues and runs, and of what waits in the store.
"""
