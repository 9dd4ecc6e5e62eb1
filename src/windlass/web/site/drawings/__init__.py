"""Drawings: figures, runs and graphs as numbers for SVG.

Files, in reading order:

- ``ranges``: Which stretch of time charts show: the newest hour, day or week, or what was marked in one of them.
- ``charts``: Charts of figures over time, as numbers for SVG.
- ``sparklines``: Small drawings for rows of tables, as numbers for SVG.
- ``timeline``: The attempts of a job below each other, on one axis of time.
- ``graphs``: The graph around a job.
"""
