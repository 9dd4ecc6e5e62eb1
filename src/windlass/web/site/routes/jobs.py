"""Pages and buttons about jobs: single ones, failures, many at once, the archive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from windlass.web.bulk.change import begun
from windlass.web.bulk.order import BulkAction
from windlass.web.bulk.routes import ROLES
from windlass.web.route import Route
from windlass.web.security.roles import Role
from windlass.web.site.failures import cause, failures
from windlass.web.site.jobs import actions as job_actions
from windlass.web.site.jobs import files, job, listing, many, new_job
from windlass.web.site.pages import archive
from windlass.web.site.routes.rows import button, file, form_page, page


def _changes_of_many(action: BulkAction) -> Iterator[Route]:
    role, path = ROLES[action], f"/bulk/begin/{action}"
    yield form_page(path, many.question(action), f"Ask whether to {action} many jobs.", many.ManyQuery, role)
    yield button(
        path, many.begin_change(action), begun(action), f"{action.title()} many jobs.", role, form=many.ManyForm
    )


JOBS: tuple[Route, ...] = (
    *page("/jobs", listing.jobs, "Jobs that a filter finds.", listing.JobsPageQuery),
    *page("/jobs/{id}", job.job, "One job."),
    *page("/failures", failures.failures, "Failed jobs by cause.", failures.FailuresQuery, every=5),
    *page("/failures/cause", cause.cause, "One cause of failures.", cause.CauseQuery, every=5),
    form_page("/failures/mute", failures.ask_mute, "Ask for how long to mute a group.", failures.MuteQuery),
    button("/failures/mute", failures.mute_group, "dead.mute", "Mute a group of failures.", form=failures.MuteForm),
    button("/failures/unmute", failures.unmute_group, "dead.unmute", "Count a group again.", form=failures.UnmuteForm),
    button("/jobs/{id}/retry", job_actions.retry_job, "job.retry", "Retry a job.", form=job_actions.BackForm),
    button("/jobs/{id}/cancel", job_actions.cancel_job, "job.cancel", "Cancel a job.", form=job_actions.BackForm),
    form_page("/jobs/{id}/fail", job_actions.ask_fail, "Ask whether to fail a job by hand."),
    button("/jobs/{id}/fail", job_actions.fail_job, "job.fail", "Fail a job by hand.", form=job_actions.ReasonForm),
    form_page("/jobs/{id}/snooze", job_actions.ask_snooze, "Ask for how long to snooze a job."),
    button("/jobs/{id}/snooze", job_actions.snooze_job, "job.reschedule", "Snooze a job.", form=job_actions.SnoozeForm),
    form_page("/jobs/{id}/delete", job_actions.ask_delete, "Ask whether to delete a job.", role=Role.ADMIN),
    button("/jobs/{id}/delete", job_actions.delete_job, "job.delete", "Delete a job.", Role.ADMIN),
    button("/jobs/{id}/reveal", job_actions.reveal_arguments, "job.reveal", "Show the secrets of a job.", Role.ADMIN),
    file("/jobs/{id}/arguments.json", files.arguments_file, "The arguments of a job, secrets masked."),
    file("/jobs/{id}/errors.json", files.errors_file, "The errors of a job, secrets masked."),
    form_page("/jobs/{id}/edit", new_job.show_edit, "The form to run a job again with other arguments."),
    replace(
        button("/jobs/{id}/edit", new_job.run_again, "job.rerun", "Run a job again.", form=new_job.NewJobForm),
        most_bytes=new_job.MOST_BYTES,
    ),
    form_page("/enqueue", new_job.show_new_job, "The form that makes a job.", new_job.NewJobQuery),
    replace(
        button("/enqueue", new_job.make_job, "job.make", "Make a job.", form=new_job.NewJobForm),
        most_bytes=new_job.MOST_BYTES,
    ),
    form_page("/archive", archive.archive, "Archived jobs.", archive.ArchivePageQuery, Role.VIEWER),
    form_page("/archive/{id}", archive.archived, "One archived job.", role=Role.VIEWER),
    button("/archive/{id}/restore", archive.restore, "archive.restore", "Put an archived job back.", seconds=20.0),
    *page("/bulk", many.changes, "Changes of many jobs."),
    *page("/bulk/{id}", many.change, "One change of many jobs."),
    button("/bulk/{id}/stop", many.stop_change, "bulk.stop", "Stop a change of many jobs."),
    *(route for action in BulkAction for route in _changes_of_many(action)),
)
