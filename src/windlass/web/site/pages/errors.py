"""What went wrong with a request."""

from __future__ import annotations

from windlass.web.problems import Problem
from windlass.web.site.page import Page

_NEXT = {
    401: "Log in, or ask with a token.",
    403: "Ask an administrator for a role that may do this.",
    404: "It may have been deleted, or retention has removed it.",
    503: "The page comes back by itself when the store does.",
}


def error_page(problem: Problem, *, has_login: bool) -> Page:
    """A problem in words, with what can be done."""
    shown = {"problem": problem, "next": _NEXT.get(problem.status), "has_login": has_login}
    return Page("error.html", problem.title, shown, here="", status=problem.status, is_live=False)
