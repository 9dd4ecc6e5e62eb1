"""Writing to a terminal.

Files, in reading order:

- ``screen``: Lines, tables and fields; every text is escaped here.
- ``column_widths``: Which columns fit, and how wide.
- ``escape``: Makes job data harmless for a terminal.
- ``window``: Draws a list in place, again and again.
- ``watch``: ``--watch``: reads a list again and again until Ctrl-C.
"""
