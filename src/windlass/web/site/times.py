"""Instants as elements of a page: written in UTC here, and by scripts in the zone that a person has chosen."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from windlass.web.site import formats

_TIME = Markup('<time datetime="{0}" title="{0}">{1}</time>')
_AHEAD = Markup('<time data-relative="ahead" datetime="{0}" title="{0}">{1}</time>')


def clock_time(moment: datetime | None, now: datetime) -> str:
    """The time of day, with the day where that is not today."""
    return _element(_TIME, moment, formats.clock_time(moment, now))


def ahead(moment: datetime | None, now: datetime) -> str:
    """How long it is until then; scripts count it down."""
    return _element(_AHEAD, moment, formats.ahead(moment, now))


def _element(form: Markup, moment: datetime | None, text: str) -> str:
    return text if moment is None else form.format(moment.isoformat(), text)
