"""Jobs that belong together, as the command line shows them.

Files, in reading order:

- ``tree``: A graph of jobs as a tree.
"""
