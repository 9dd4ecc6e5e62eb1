"""The first page: is it healthy, and if not, why?

Files, in reading order:

- ``overview``: What the page reads and shows.
- ``tiles``: The words under the large figures of the overview: how they change, and how they compare.
- ``changes``: What changed lately, so that a cause can be found beside its effect.
- ``signs``: What asks for a look, beside its link on every page: causes that fail now, alerts that fire.
- ``worker_grid``: All workers in a small room: one cell each, by state.
"""
