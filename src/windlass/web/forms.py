"""What plain forms of pages send, without scripts: fields, and the token of the session among them."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from windlass.web.bodies import SentBody, content_type
from windlass.web.problems import bad_input

CSRF_FIELD = "csrf"
"""The field in which a form carries the token of its session."""
MEDIA_TYPE = "application/x-www-form-urlencoded"

_MOST_FIELDS = 2000


def fields_of(sent: bytes) -> list[tuple[str, str]]:
    """The fields of a form in their order; some may be there more than once."""
    try:
        return parse_qsl(
            sent.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:  # not ASCII, not UTF-8 behind the escapes, or too many
        raise bad_input("the form cannot be read") from None


async def sent_token(request: Request) -> str:
    """The token that a form carries; empty for requests that are no forms."""
    body = getattr(request.state, "sent_body", None)
    if content_type(request) != MEDIA_TYPE or not isinstance(body, SentBody):
        return ""
    return next((value for name, value in fields_of(await body.read()) if name == CSRF_FIELD), "")
