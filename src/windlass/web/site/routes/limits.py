"""Pages and buttons about what holds jobs back: limits, rates and keys of tasks, cool-downs."""

from __future__ import annotations

from windlass.web.route import Route
from windlass.web.security.roles import Role
from windlass.web.site.forms import limits as limit_forms
from windlass.web.site.forms import tasks as task_forms
from windlass.web.site.pages import limits, tasks
from windlass.web.site.routes.rows import button, page

LIMITS: tuple[Route, ...] = (
    *page("/tasks", tasks.tasks, "All tasks.", tasks.TasksQuery, every=2),
    *page("/tasks/{name}", tasks.task, "One task.", tasks.TasksQuery, every=2),
    *page("/limits", limits.limits, "Limits, keys and cool-downs."),
    button(
        "/limits",
        limit_forms.set_limit,
        "limit.set",
        "Set a limit.",
        form=limit_forms.LimitForm,
        again=limit_forms.limit_again,
    ),
    button("/limits/{name}/drain", limit_forms.drain_limit, "limit.drain", "Empty the bucket of a limit."),
    button("/limits/{name}/delete", limit_forms.delete_limit, "limit.delete", "Delete a limit.", Role.ADMIN),
    button(
        "/concurrency",
        limit_forms.set_concurrency,
        "concurrency.set",
        "Set how many jobs of a task with the same key run at once.",
        form=limit_forms.ConcurrencyForm,
        again=limit_forms.concurrency_again,
    ),
    button(
        "/tasks/{name}/rate",
        task_forms.set_rate,
        "task.rate",
        "Set the rate of a task.",
        form=task_forms.TaskRateForm,
    ),
    button(
        "/tasks/{name}/rate/reset",
        task_forms.reset_rate,
        "task.rate.reset",
        "Let the code decide about the rate of a task again.",
        form=task_forms.TaskResetForm,
    ),
    button("/tasks/{name}/resume", task_forms.resume, "task.resume", "End the cool-downs of a task."),
    button(
        "/cooldowns/end",
        limit_forms.end_early,
        "cooldown.end",
        "End a cool-down.",
        form=limit_forms.CooldownForm,
    ),
)
