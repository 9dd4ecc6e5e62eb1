"""Graphs of jobs that wait for each other, as people and programs see them.

Files, in reading order:

- ``graph``: The whole graph around a job, with the states of all of it.
- ``groups``: Large groups in a graph: one node with counts stands for all members.
- ``relatives``: The parents and children of one job, a few of them with how many there are.
- ``mermaid``: A graph as Mermaid text.
"""
