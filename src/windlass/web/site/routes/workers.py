"""Pages and buttons about workers."""

from __future__ import annotations

from windlass.web.route import Route
from windlass.web.site import actions
from windlass.web.site.pages.workers import worker, workers
from windlass.web.site.routes.rows import button, page

WORKERS: tuple[Route, ...] = (
    *page("/workers", workers.workers, "All workers."),
    *page("/workers/{id}", worker.worker, "One worker.", every=1),
    button("/workers/{id}/pause", actions.pause_worker, "worker.pause", "Have a worker take no more jobs."),
    button("/workers/{id}/resume", actions.resume_worker, "worker.resume", "Have a worker take jobs again."),
    button("/workers/{id}/stop", actions.stop_worker, "worker.stop", "Stop a worker."),
    button("/workers/{id}/stacks", worker.show_stacks, "worker.stacks", "Where a worker is.", seconds=20.0),
)
