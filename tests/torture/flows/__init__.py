"""Chains, graphs, groups and durable steps in the rack's mix.

``setting`` says what they are made of, ``tasks`` has the jobs, ``checks`` judges by what these saw,
``mutants`` are bugs that it finds.
"""
