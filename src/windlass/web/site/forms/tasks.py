"""Forms of tasks: the rate, and back to what the code says; the end of cool-downs."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import msgspec

from windlass.web.problems import bad_input
from windlass.web.route import Call, Nothing
from windlass.web.site.forms.form_page import whole_number
from windlass.web.tasks import routes as topic


class TaskRateForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rate of a task; without one, ``unlimited`` says that it is meant."""

    version: str = ""
    rate: str = ""
    burst: str = ""
    unlimited: str = ""


class TaskResetForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version of the rate that was seen."""

    version: str = ""


async def set_rate(call: Call[Nothing, TaskRateForm]) -> str:
    """Set the rate for all processes, unless another operator has changed it since it was read."""
    given = call.body
    rate, burst = given.rate.strip(), whole_number(given.burst.strip(), "burst")
    if given.unlimited:
        said: dict[str, Any] = {"rate": None}
    elif rate:
        said = {"rate": rate, "burst": burst}
    else:
        raise bad_input("rate is blank: say one such as 30/min, or choose no limit", field="rate")
    await topic.change_rate(call, call.path["name"], said, seen=given.version)
    return _place(call)


async def reset_rate(call: Call[Nothing, TaskResetForm]) -> str:
    """Let the code decide again."""
    await topic.change_rate(call, call.path["name"], None, seen=call.body.version)
    return _place(call)


async def resume(call: Call[Nothing, None]) -> str:
    """End its cool-downs."""
    await topic.resume(call)
    return _place(call)


def _place(call: Call[Any, Any]) -> str:
    return f"/tasks/{quote(call.path['name'], safe='')}"
