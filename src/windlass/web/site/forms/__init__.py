"""Forms that say more than a button: what each shows, and what it changes. They work without scripts.

- ``form_page``: A page with a form, which shows again what was typed when something is wrong with it.
- ``small_forms``: Forms that are otherwise a small part of another page.
- ``queues``: Pause with a reason, settings, purge.
- ``limits``: Set, drain, delete; the concurrency of a task; the end of a cool-down.
- ``alerts``: Rules: add, edit, silence for a time.
- ``tasks``: The rate of a task, and back to what the code says; the end of its cool-downs.
- ``schedules``: Add, edit with a preview, pause with a reason, delete, back to what the code says.
"""
