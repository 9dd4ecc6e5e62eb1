"""The pages that people see: rendered here, brought up to date by an event stream.

Files, in reading order:

- ``application``: The dashboard as an ASGI application, with the API beside it.
- ``page``: A page: its template, what the template shows, and the frame around it.
- ``overview/``: The first page: is it healthy, and if not, why?
- ``pages/``: One module for each page: what it reads and shows.
- ``jobs/``: Pages about jobs: find them, look at one, change one or many.
- ``failures/``: Pages about failed jobs: what is failing, since when, and is it one cause?
- ``form_token``: The token of a session in the forms of its pages.
- ``forms/``: Forms that say more than a button.
- ``actions``: The buttons: forms that change something and lead back to a page.
- ``done``: What a button has done, told on the next page, with the way back where there is one.
- ``alert_actions``: The buttons of the pages about alerts.
- ``live``: The event streams that bring open pages up to date.
- ``recent``: Caches for some seconds what is expensive to read.
- ``static_files``: Style sheets and scripts, by a name that changes with their content.
- ``formats``: Numbers, lengths of time, instants and values as pages write them.
- ``times``: Instants as elements of a page.
- ``drawings/``: Charts, small drawings in tables, timelines and graphs, as numbers for SVG.
- ``routes/``: The rows of the table of routes that are pages, their streams and their buttons, by subject.

``templates/`` and ``static/`` hold the files themselves. htmx is theirs who wrote it (0BSD), vendored and pinned.
"""
