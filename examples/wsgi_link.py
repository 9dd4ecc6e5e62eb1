"""A WSGI application, as Flask and Django make them, that links to a dashboard in a process of its own.

    windlass web -A jobs            # beside the application; docs/security.md says who may see it
    JOBS_URL=http://127.0.0.1:8787 python wsgi_link.py

The dashboard keeps streams open, which a WSGI server cannot do, so it is not mounted but linked to. In Flask the link
is one line of a template: ``<a href="{{ config.JOBS_URL }}/jobs?tag=order-{{ order.id }}">Jobs of this order</a>``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode
from wsgiref.simple_server import make_server

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


def jobs_link(**filter: str) -> str:
    """The list of jobs that a filter finds: ``jobs_link(tag="order-7")``."""
    return f"{_base()}/jobs?{urlencode(filter)}"


def job_link(id: str) -> str:
    """The page of one job: ``job_link(job.id)``."""
    return f"{_base()}/jobs/{quote(id, safe='')}"


def _base() -> str:
    return os.environ["JOBS_URL"].rstrip("/")


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
    return [f'<p>Order 7. <a href="{jobs_link(tag="order-7")}">Its jobs</a></p>'.encode()]


if __name__ == "__main__":
    with make_server("127.0.0.1", 8000, application) as server:
        server.serve_forever()
