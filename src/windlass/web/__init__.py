"""The HTTP API for programs in any language, and the dashboard for people.

Files, in reading order:

- ``app``: The API as an ASGI application, to be served alone or mounted into another.
- ``table``: The table of routes: everything that can be asked over HTTP.
- ``route``: One row of the table of routes, what a handler is given, and what it gives.
- ``topics/``: The routes, topic by topic; each module has its handlers and ends with its rows.
- ``shapes/``: What the API takes and gives, as types.
- ``bulk/``: Changes of many jobs, in the background of the web process.
- ``leases/``: Leases over HTTP: workers in any language claim jobs and say how they ended.
- ``alerts/``: Alerts and their rules over HTTP.
- ``archive/``: The archive over HTTP: jobs that retention has put aside.
- ``tasks/``: Tasks over HTTP: those that are known, and their rates.
- ``diagnostics/``: What admins look at when something is wrong: the raw record of a job, and the keys of a Redis store.
- ``streams/``: Event streams: what keeps pages and programs up to date while they listen.
- ``site/``: The pages that people see.
- ``security/``: Who may do what over HTTP.
- ``bodies``: The bytes that a request sends: read once, and bounded in size and in time.
- ``forms``: What plain forms of pages send, without scripts.
- ``inputs``: Reads a request: its path, its query and its body, strictly.
- ``problems``: Errors as the API answers them: RFC 9457 problem documents.
- ``named_field``: Which field of a request the message of an error is about.
- ``cursors``: Cursors: where the next page begins, opaque and signed.
- ``readings/``: Counts, and readings in the background, for all pages.
- ``etags``: ``ETag`` and ``If-Match``: a change of settings says which state of them it was made for.
- ``openapi``: The OpenAPI document of a table of routes, from the types of its rows.
- ``server``: The server process: serves until a signal, with the duties beside it.
- ``connection``: A connection of the server, which a client that sends or reads nothing cannot hold.
"""

from windlass.web.app import api
from windlass.web.security.roles import Identity, Role
from windlass.web.site.application import dashboard

__all__ = ["Identity", "Role", "api", "dashboard"]
