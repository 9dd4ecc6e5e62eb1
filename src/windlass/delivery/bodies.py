"""Bodies of webhooks: JSON, Slack, or a template of the user's."""

from __future__ import annotations

import json
from collections.abc import Callable
from string import Template

from windlass import clock
from windlass.delivery.message import FIRED, RESOLVED, AlertMessage, sample_message
from windlass.errors import ConfigError
from windlass.insight.redact import redacted_text

JSON = "application/json"

Body = Callable[[AlertMessage], bytes]

_SIGNS = {"critical": ":red_circle:", "warning": ":large_orange_circle:", "info": ":large_blue_circle:"}


def json_body(message: AlertMessage) -> bytes:
    """Everything, for programs."""
    return _encoded(
        {
            "type": f"windlass.alert.{message.kind}",
            "id": message.event_id,
            "at": clock.iso(message.at),
            "title": _clean(message.title),
            "alert": {
                "id": message.alert_id,
                "rule": message.rule,
                "severity": message.severity,
                "state": {FIRED: "firing"}.get(message.kind, message.kind),
                "scope": message.scope,
                "summary": _clean(message.summary),
                "expression": message.expression,
                "values": dict(message.values),
            },
            "store": message.store,
            "link": message.link or None,
        }
    )


def slack_body(message: AlertMessage) -> bytes:
    """For an incoming webhook of Slack, or of what understands the same."""
    sign = ":white_check_mark:" if message.kind == RESOLVED else _SIGNS.get(message.severity, ":red_circle:")
    facts = [message.store, message.scope, f"{message.at:%Y-%m-%d %H:%M:%S} UTC", message.event_id]
    title = f"{sign} *{_slack(message.title)}*"
    if message.link:
        title += f"\n<{_slack(message.link)}|Open>"
    return _encoded(
        {
            "text": _slack(message.title),
            "blocks": [
                {"type": "section", "text": {"type": "mrkdwn", "text": title[:2_900]}},
                {
                    "type": "context",
                    "elements": [
                        {"type": "mrkdwn", "text": _slack(" · ".join(fact for fact in facts if fact))[:1_900]}
                    ],
                },
            ],
        }
    )


def template_body(text: str, *, content_type: str) -> Body:
    """A template of the user's, as in ``{"msg": "$title"}``. Names are replaced by texts, and nothing else happens: a
    template is no program. In a template for JSON the texts are escaped as they have to be inside of quotes.
    """
    template = Template(text)
    is_json = content_type.partition(";")[0].strip().lower().endswith("json")

    def body(message: AlertMessage) -> bytes:
        values = _template_values(message)
        if is_json:
            values = {name: json.dumps(value)[1:-1] for name, value in values.items()}
        return template.substitute(values).encode()

    _try_out(body, is_json=is_json)
    return body


def _try_out(body: Body, *, is_json: bool) -> None:
    sample = sample_message('a "store"', number=0)
    try:
        made = body(sample)
    except (KeyError, ValueError) as error:
        raise ConfigError(
            f"the template of a webhook has {error} in it; there are "
            f"{', '.join(f'${name}' for name in _template_values(sample))}, and $$ for a single $"
        ) from None
    try:
        if is_json:
            json.loads(made)
    except ValueError as error:
        raise ConfigError(f'the template of a webhook gives no JSON: {error}; quote names, as in "$title"') from None


def _template_values(message: AlertMessage) -> dict[str, str]:
    return {
        "id": message.event_id,
        "kind": message.kind,
        "at": clock.iso(message.at) or "",
        "title": _clean(message.title),
        "rule": message.rule,
        "severity": message.severity,
        "scope": message.scope,
        "summary": _clean(message.summary),
        "expression": message.expression,
        "alert": message.alert_id,
        "store": message.store,
        "link": message.link,
    }


def _clean(text: str) -> str:
    return redacted_text(text)[:1_000]


def _slack(text: str) -> str:
    """A text without markup: a queue's name must not call the whole channel.

    >>> _slack("<!channel> & more")
    '&lt;!channel&gt; &amp; more'
    """
    return _clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
