"""Forms that are otherwise a small part of a page: one that is refused is shown again on a page of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from windlass.web.problems import Problem
from windlass.web.route import Call
from windlass.web.site.forms.form_page import refusal_of, typed
from windlass.web.site.page import Page


@dataclass(frozen=True, slots=True)
class Field:
    """One line of a form."""

    name: str
    label: str
    hint: str
    placeholder: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """Values and their texts, where one of them is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallForm:
    """A form, and the page that it is a part of."""

    title: str
    action: str
    """The path that it is sent to."""
    fields: tuple[Field, ...]
    """All others of what was sent are sent again as they are."""
    submit: str
    place: str
    """What the page is called, and its path."""
    path: str
    here: str
    """Which entry of the navigation that belongs to."""
    is_risk: bool = False

    def again(self, call: Call[Any, Any], problem: Problem) -> Page:
        """What was typed, and what is wrong with it."""
        given = typed(call.body)
        names = [field.name for field in self.fields]
        refusal = refusal_of(problem, {name: given[name] for name in names})
        shown = {
            "given": given,
            "problem": refusal,
            "fields": self.fields,
            "hidden": [name for name in given if name not in names],
            "action": self.action,
            "place": (self.place, self.path),
            "submit": self.submit,
            "is_risk": self.is_risk,
        }
        return Page("small_form.html", self.title, shown, here=self.here, status=refusal.status, is_live=False)
