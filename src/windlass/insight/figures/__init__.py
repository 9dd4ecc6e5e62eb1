"""Figures as people and programs see them.

Files, in reading order:

- ``view``: The figures of one step of time: counts, times with percentiles, depths, errors.
- ``aggregate``: One number of each measure: the mean, the sum, or what 95 or 99 of 100 do not exceed.
- ``figures``: Reads a range of figures, in steps.
- ``deploys``: When the code of the workers changed.
- ``json_form``: Figures as values for JSON: one form for the command line and for HTTP.
"""
