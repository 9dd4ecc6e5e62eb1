"""Pages and buttons about queues."""

from __future__ import annotations

from windlass.web.route import Route
from windlass.web.security.roles import Role
from windlass.web.site.forms import queues as queue_forms
from windlass.web.site.pages import queues
from windlass.web.site.routes.rows import button, form_page, page

QUEUES: tuple[Route, ...] = (
    *page("/queues", queues.queues, "All queues."),
    *page("/queues/{name}", queues.queue, "One queue.", queues.QueueQuery),
    form_page("/queues/{name}/settings", queue_forms.settings_form, "The settings of a queue, to be changed."),
    button(
        "/queues/{name}/pause", queue_forms.pause_queue, "queue.pause", "Pause a queue.", form=queue_forms.PauseForm
    ),
    button("/queues/{name}/resume", queue_forms.resume_queue, "queue.resume", "Resume a queue."),
    button(
        "/queues/{name}/settings",
        queue_forms.save_settings,
        "queue.change",
        "Change settings of a queue.",
        form=queue_forms.QueueSettingsForm,
        again=queue_forms.settings_again,
    ),
    button(
        "/queues/{name}/reset",
        queue_forms.reset_setting,
        "queue.reset",
        "Let a setting of a queue follow the code again.",
        form=queue_forms.ResetForm,
    ),
    button(
        "/queues/{name}/purge",
        queue_forms.purge_queue,
        "queue.purge",
        "Delete all jobs of a queue that wait.",
        Role.ADMIN,
        form=queue_forms.PurgeForm,
        again=queue_forms.purge_again,
        seconds=20.0,
    ),
)
