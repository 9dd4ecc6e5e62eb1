"""The rows of the table of routes that are pages, their streams and their buttons."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import msgspec
from starlette.responses import HTMLResponse, RedirectResponse, Response

from windlass.web.bulk.change import begun
from windlass.web.bulk.order import BulkAction
from windlass.web.bulk.routes import ROLES
from windlass.web.problems import Problem
from windlass.web.route import Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.site import actions, alert_actions
from windlass.web.site.forms import alerts as alert_forms
from windlass.web.site.forms import limits as limit_forms
from windlass.web.site.forms import queues as queue_forms
from windlass.web.site.forms import schedules as schedule_forms
from windlass.web.site.forms import tasks as task_forms
from windlass.web.site.forms.form_page import ShowAgain, can_be_mended
from windlass.web.site.jobs import actions as job_actions
from windlass.web.site.jobs import failures, files, job, listing, many, new_job
from windlass.web.site.live import stream
from windlass.web.site.page import Page, rendered
from windlass.web.site.pages import (
    alerts,
    archive,
    commands,
    limits,
    login,
    overview,
    queues,
    schedules,
    system,
    tasks,
    worker,
    workers,
)
from windlass.web.site.pages.errors import error_page
from windlass.web.site.static_files import static_file
from windlass.web.streams.reader import EVERY
from windlass.web.streams.response import EventStream

_TOPIC = "Pages"
Build = Callable[[Call[Any, Any]], Awaitable[Page]]


def _page(
    path: str, build: Build, summary: str, query: type[msgspec.Struct] = Nothing, *, every: float = EVERY
) -> Iterator[Route]:
    """A page and the stream that brings it up to date."""

    async def handler(call: Call[Any, Any]) -> HTMLResponse:
        return rendered(call, await build(call))

    yield Route(
        method="GET",
        path=path,
        handler=handler,
        summary=summary,
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=HTMLResponse,
        query=query,
        show_problem=_show_problem,
    )
    yield Route(
        method="GET",
        path=f"/live{path.rstrip('/')}",
        handler=stream(build, every=every),
        summary=f"{summary.rstrip('.')}: what changes.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=EventStream,
        query=query,
    )


def _button(
    path: str,
    action: actions.Action,
    name: str,
    summary: str,
    role: Role = Role.OPERATOR,
    *,
    form: type[msgspec.Struct] = Nothing,
    again: ShowAgain | None = None,
    seconds: float | None = None,
) -> Route:
    """A form that changes something; ``form`` is what it sends beside the token of the session, ``again`` shows it when
    it was refused.
    """
    return Route(
        method="POST",
        path=path,
        handler=actions.leading_back(action),
        summary=summary,
        topic=_TOPIC,
        role=role,
        answer=RedirectResponse,
        status=303,
        form=form,
        action=name,
        seconds=seconds,
        show_problem=_show_problem if again is None else _shown_again(again),
    )


def _form_page(
    path: str, build: Build, summary: str, query: type[msgspec.Struct] = Nothing, role: Role = Role.OPERATOR
) -> Route:
    """A page with a form; it is not live."""
    return replace(next(_page(path, build, summary, query)), role=role)


def _shown_again(show: ShowAgain) -> Callable[[Call[Any, Any], Problem], Response]:
    """Answers a form that was refused: the same form, if something can be mended in it."""

    def show_problem(call: Call[Any, Any], problem: Problem) -> Response:
        if not can_be_mended(call, problem):
            return _show_problem(call, problem)
        return rendered(call, show(call, problem))

    return show_problem


def _show_problem(call: Call[Any, Any], problem: Problem) -> Response:
    if problem.status == 401 and (response := login.to_login(call.request)):
        return response
    response = rendered(call, error_page(problem, has_login=login.has_login(call.request)))
    response.headers.update(problem.headers)
    return response


def _show_login_problem(call: Call[Any, Any], problem: Problem) -> Response:
    return login.show_refusal(call, problem) or _show_problem(call, problem)


def _login_row(method: str, path: str, handler: Callable[[Call[Any, Any]], Awaitable[Response]], **row: Any) -> Route:
    """A row of what is there for persons who are not known yet."""
    return Route(
        method=method, path=path, handler=handler, topic=_TOPIC, role=None, show_problem=_show_login_problem, **row
    )


_LOGIN = (
    _login_row(
        "GET", "/login", login.show_login, summary="The form to log in.", answer=HTMLResponse, query=login.LoginQuery
    ),
    _login_row(
        "POST",
        "/login",
        login.log_in,
        summary="Begin a session.",
        answer=RedirectResponse,
        status=303,
        form=login.LoginForm,
    ),
    _login_row(
        "POST", "/logout", login.log_out, summary="End a session.", answer=RedirectResponse, status=303, form=Nothing
    ),
)


def _file(path: str, handler: Callable[[Call[Any, Any]], Awaitable[Response]], summary: str) -> Route:
    return Route(
        method="GET",
        path=path,
        handler=handler,
        summary=summary,
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=Response,
        show_problem=_show_problem,
    )


def _changes_of_many(action: BulkAction) -> Iterator[Route]:
    role, path = ROLES[action], f"/bulk/begin/{action}"
    yield _form_page(path, many.question(action), f"Ask whether to {action} many jobs.", many.ManyQuery, role)
    yield _button(
        path, many.begin_change(action), begun(action), f"{action.title()} many jobs.", role, form=many.ManyForm
    )


_JOBS = (
    *_page("/jobs", listing.jobs, "Jobs that a filter finds.", listing.JobsPageQuery),
    *_page("/jobs/{id}", job.job, "One job."),
    *_page("/failures", failures.failures, "Failed jobs by cause.", failures.FailuresQuery, every=5),
    _form_page("/failures/mute", failures.ask_mute, "Ask for how long to mute a group.", failures.MuteQuery),
    _button("/failures/mute", failures.mute_group, "dead.mute", "Mute a group of failures.", form=failures.MuteForm),
    _button("/failures/unmute", failures.unmute_group, "dead.unmute", "Count a group again.", form=failures.UnmuteForm),
    _button("/jobs/{id}/retry", job_actions.retry_job, "job.retry", "Retry a job.", form=job_actions.BackForm),
    _button("/jobs/{id}/cancel", job_actions.cancel_job, "job.cancel", "Cancel a job.", form=job_actions.BackForm),
    _form_page("/jobs/{id}/fail", job_actions.ask_fail, "Ask whether to fail a job by hand."),
    _button("/jobs/{id}/fail", job_actions.fail_job, "job.fail", "Fail a job by hand.", form=job_actions.ReasonForm),
    _form_page("/jobs/{id}/snooze", job_actions.ask_snooze, "Ask for how long to snooze a job."),
    _button(
        "/jobs/{id}/snooze", job_actions.snooze_job, "job.reschedule", "Snooze a job.", form=job_actions.SnoozeForm
    ),
    _form_page("/jobs/{id}/delete", job_actions.ask_delete, "Ask whether to delete a job.", role=Role.ADMIN),
    _button("/jobs/{id}/delete", job_actions.delete_job, "job.delete", "Delete a job.", Role.ADMIN),
    _button("/jobs/{id}/reveal", job_actions.reveal_arguments, "job.reveal", "Show the secrets of a job.", Role.ADMIN),
    _file("/jobs/{id}/arguments.json", files.arguments_file, "The arguments of a job, secrets masked."),
    _file("/jobs/{id}/errors.json", files.errors_file, "The errors of a job, secrets masked."),
    _form_page("/jobs/{id}/edit", new_job.show_edit, "The form to run a job again with other arguments."),
    replace(
        _button("/jobs/{id}/edit", new_job.run_again, "job.rerun", "Run a job again.", form=new_job.NewJobForm),
        most_bytes=new_job.MOST_BYTES,
    ),
    _form_page("/enqueue", new_job.show_new_job, "The form that makes a job.", new_job.NewJobQuery),
    replace(
        _button("/enqueue", new_job.make_job, "job.make", "Make a job.", form=new_job.NewJobForm),
        most_bytes=new_job.MOST_BYTES,
    ),
    _form_page("/archive", archive.archive, "Archived jobs.", archive.ArchivePageQuery, Role.VIEWER),
    _form_page("/archive/{id}", archive.archived, "One archived job.", role=Role.VIEWER),
    _button("/archive/{id}/restore", archive.restore, "archive.restore", "Put an archived job back.", seconds=20.0),
    *_page("/bulk", many.changes, "Changes of many jobs."),
    *_page("/bulk/{id}", many.change, "One change of many jobs."),
    _button("/bulk/{id}/stop", many.stop_change, "bulk.stop", "Stop a change of many jobs."),
    *(route for action in BulkAction for route in _changes_of_many(action)),
)

PAGES: tuple[Route, ...] = (
    *_page("/", overview.overview, "Everything at a glance.", overview.OverviewQuery),
    *_JOBS,
    *_page("/queues", queues.queues, "All queues."),
    *_page("/queues/{name}", queues.queue, "One queue.", queues.QueueQuery),
    _form_page("/queues/{name}/settings", queue_forms.settings_form, "The settings of a queue, to be changed."),
    *_page("/workers", workers.workers, "All workers."),
    *_page("/workers/{id}", worker.worker, "One worker.", every=1),
    *_page("/tasks", tasks.tasks, "All tasks.", tasks.TasksQuery, every=2),
    *_page("/tasks/{name}", tasks.task, "One task.", tasks.TasksQuery, every=2),
    *_page("/limits", limits.limits, "Limits, keys and cool-downs."),
    *_page("/system", system.system, "The store and the processes around it.", system.SystemQuery, every=2),
    *_page("/schedules", schedules.schedules, "All schedules."),
    *_page("/schedules/{name}", schedules.schedule, "One schedule."),
    _form_page("/new/schedule", schedule_forms.new_form, "A schedule to be added."),
    _form_page("/schedules/{name}/edit", schedule_forms.edit_form, "What a schedule says, to be changed."),
    replace(
        _form_page("/preview/schedule", schedule_forms.preview_form, "When a schedule that is typed would fire."),
        method="POST",
        form=schedule_forms.ScheduleForm,
    ),
    _button(
        "/queues/{name}/pause", queue_forms.pause_queue, "queue.pause", "Pause a queue.", form=queue_forms.PauseForm
    ),
    _button("/queues/{name}/resume", queue_forms.resume_queue, "queue.resume", "Resume a queue."),
    _button(
        "/queues/{name}/settings",
        queue_forms.save_settings,
        "queue.change",
        "Change settings of a queue.",
        form=queue_forms.QueueSettingsForm,
        again=queue_forms.settings_again,
    ),
    _button(
        "/queues/{name}/reset",
        queue_forms.reset_setting,
        "queue.reset",
        "Let a setting of a queue follow the code again.",
        form=queue_forms.ResetForm,
    ),
    _button(
        "/queues/{name}/purge",
        queue_forms.purge_queue,
        "queue.purge",
        "Delete all jobs of a queue that wait.",
        Role.ADMIN,
        form=queue_forms.PurgeForm,
        again=queue_forms.purge_again,
        seconds=20.0,
    ),
    _button("/workers/{id}/pause", actions.pause_worker, "worker.pause", "Have a worker take no more jobs."),
    _button("/workers/{id}/resume", actions.resume_worker, "worker.resume", "Have a worker take jobs again."),
    _button("/workers/{id}/stop", actions.stop_worker, "worker.stop", "Stop a worker."),
    _button("/schedules/{name}/run", actions.run_schedule, "schedule.run", "Make the job of a schedule now."),
    _button(
        "/schedules/{name}/pause",
        schedule_forms.pause_schedule,
        "schedule.pause",
        "Pause a schedule.",
        form=queue_forms.PauseForm,
    ),
    _button(
        "/new/schedule",
        schedule_forms.add_schedule,
        "schedule.add",
        "Add a schedule that no code declares.",
        form=schedule_forms.ScheduleForm,
        again=schedule_forms.form_again,
    ),
    _button(
        "/schedules/{name}/edit",
        schedule_forms.edit_schedule,
        "schedule.edit",
        "Change what a schedule says.",
        form=schedule_forms.ScheduleForm,
        again=schedule_forms.form_again,
    ),
    _button("/schedules/{name}/reset", schedule_forms.reset_schedule, "schedule.reset", "Let what the code says hold."),
    _button(
        "/schedules/{name}/delete", schedule_forms.delete_schedule, "schedule.delete", "Delete a schedule.", Role.ADMIN
    ),
    _button("/schedules/{name}/resume", actions.resume_schedule, "schedule.resume", "Resume a schedule."),
    Route(
        method="GET",
        path="/commands",
        handler=commands.commands,
        summary="What the command box finds.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=commands.CommandQuery,
        answer=commands.Places,
    ),
    _button("/workers/{id}/stacks", worker.show_stacks, "worker.stacks", "Where a worker is.", seconds=20.0),
    _button(
        "/limits",
        limit_forms.set_limit,
        "limit.set",
        "Set a limit.",
        form=limit_forms.LimitForm,
        again=limit_forms.limit_again,
    ),
    _button("/limits/{name}/drain", limit_forms.drain_limit, "limit.drain", "Empty the bucket of a limit."),
    _button("/limits/{name}/delete", limit_forms.delete_limit, "limit.delete", "Delete a limit.", Role.ADMIN),
    _button(
        "/concurrency",
        limit_forms.set_concurrency,
        "concurrency.set",
        "Set how many jobs of a task with the same key run at once.",
        form=limit_forms.ConcurrencyForm,
        again=limit_forms.concurrency_again,
    ),
    _button(
        "/tasks/{name}/rate",
        task_forms.set_rate,
        "task.rate",
        "Set the rate of a task.",
        form=task_forms.TaskRateForm,
    ),
    _button(
        "/tasks/{name}/rate/reset",
        task_forms.reset_rate,
        "task.rate.reset",
        "Let the code decide about the rate of a task again.",
        form=task_forms.TaskResetForm,
    ),
    _button("/tasks/{name}/resume", task_forms.resume, "task.resume", "End the cool-downs of a task."),
    _button(
        "/cooldowns/end",
        limit_forms.end_early,
        "cooldown.end",
        "End a cool-down.",
        form=limit_forms.CooldownForm,
    ),
    _button(
        "/tokens",
        system.add_token,
        "token.add",
        "Make a token.",
        Role.ADMIN,
        form=system.TokenForm,
        again=system.token_again,
    ),
    _button("/tokens/{name}/revoke", system.revoke_token, "token.revoke", "Revoke a token.", Role.ADMIN),
    *_page("/alerts", alerts.alerts, "Alerts and their history.", alerts.AlertsPageQuery, every=5),
    *_page("/alerts/rules", alerts.alert_rules, "The rules of alerts.", every=30),
    *_page("/alerts/rules/{name}", alerts.alert_rule, "One rule of alerts.", every=30),
    _button("/alerts/{id}/acknowledge", alert_actions.acknowledge, "alert.acknowledge", "Acknowledge an alert."),
    _button("/alerts/{id}/resolve", alert_actions.resolve, "alert.resolve", "Resolve an alert."),
    _button(
        "/alerts/channels/{name}/test", alert_actions.try_channel, "alert.test", "Send a test message.", Role.ADMIN
    ),
    _button(
        "/alerts/rules",
        alert_forms.add_rule,
        "alert.add_rule",
        "Add a rule.",
        Role.ADMIN,
        form=alert_forms.RuleForm,
        again=alert_forms.form_again,
    ),
    _button(
        "/alerts/rules/{name}",
        alert_forms.edit_rule,
        "alert.edit_rule",
        "Change a rule.",
        Role.ADMIN,
        form=alert_forms.RuleForm,
        again=alert_forms.form_again,
    ),
    _button(
        "/alerts/rules/{name}/enable", alert_actions.enable_rule, "alert.edit_rule", "Switch a rule on.", Role.ADMIN
    ),
    _button(
        "/alerts/rules/{name}/disable", alert_actions.disable_rule, "alert.edit_rule", "Switch a rule off.", Role.ADMIN
    ),
    _button(
        "/alerts/rules/{name}/silence",
        alert_forms.silence_rule,
        "alert.silence_rule",
        "Deliver nothing of a rule for a time.",
        form=alert_forms.SilenceForm,
    ),
    _button(
        "/alerts/rules/{name}/unsilence",
        alert_forms.unsilence_rule,
        "alert.unsilence_rule",
        "End the silence of a rule.",
    ),
    _button(
        "/alerts/rules/{name}/delete", alert_actions.delete_rule, "alert.delete_rule", "Delete a rule.", Role.ADMIN
    ),
    *_LOGIN,
    Route(
        method="GET",
        path="/static/{version}/{name}",
        handler=static_file,
        summary="A style sheet or script.",
        topic=_TOPIC,
        role=None,
        answer=Response,
    ),
)
