"""Pages and buttons about schedules."""

from __future__ import annotations

from dataclasses import replace

from windlass.web.route import Route
from windlass.web.security.roles import Role
from windlass.web.site import actions
from windlass.web.site.forms import queues as queue_forms
from windlass.web.site.forms import schedules as schedule_forms
from windlass.web.site.pages import schedules
from windlass.web.site.routes.rows import button, form_page, page

SCHEDULES: tuple[Route, ...] = (
    *page("/schedules", schedules.schedules, "All schedules."),
    *page("/schedules/{name}", schedules.schedule, "One schedule."),
    form_page("/new/schedule", schedule_forms.new_form, "A schedule to be added."),
    form_page("/schedules/{name}/edit", schedule_forms.edit_form, "What a schedule says, to be changed."),
    replace(
        form_page("/preview/schedule", schedule_forms.preview_form, "When a schedule that is typed would fire."),
        method="POST",
        form=schedule_forms.ScheduleForm,
    ),
    button("/schedules/{name}/run", actions.run_schedule, "schedule.run", "Make the job of a schedule now."),
    button(
        "/schedules/{name}/pause",
        schedule_forms.pause_schedule,
        "schedule.pause",
        "Pause a schedule.",
        form=queue_forms.PauseForm,
    ),
    button(
        "/new/schedule",
        schedule_forms.add_schedule,
        "schedule.add",
        "Add a schedule that no code declares.",
        form=schedule_forms.ScheduleForm,
        again=schedule_forms.form_again,
    ),
    button(
        "/schedules/{name}/edit",
        schedule_forms.edit_schedule,
        "schedule.edit",
        "Change what a schedule says.",
        form=schedule_forms.ScheduleForm,
        again=schedule_forms.form_again,
    ),
    button("/schedules/{name}/reset", schedule_forms.reset_schedule, "schedule.reset", "Let what the code says hold."),
    button(
        "/schedules/{name}/delete", schedule_forms.delete_schedule, "schedule.delete", "Delete a schedule.", Role.ADMIN
    ),
    button("/schedules/{name}/resume", actions.resume_schedule, "schedule.resume", "Resume a schedule."),
)
