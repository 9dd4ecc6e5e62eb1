"""One module for each page: what it reads and shows.

- ``overview``: Is it healthy, and if not, why?
- ``jobs``: Find any job.
- ``job``: The story of one job.
- ``failures``: What is failing, since when, and is it one cause?
- ``queues``: How deep, how old, who serves them; one queue.
- ``workers``: What each worker does; which were lost.
- ``schedules``: What runs next, what ran last; one schedule.
- ``errors``: What went wrong with a request.
"""
