"""Asking for jobs by name, for apps that children do not share."""

from __future__ import annotations

from typing import Any

from windlass import Job, Windlass


def enqueue(app: Windlass, task: str, *args: object, **options: Any) -> Job[Any]:
    return app.enqueue_many([app.request(task, args, **options)])[0]
