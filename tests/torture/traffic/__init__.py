"""Schedules, limits on what runs, concurrency keys and rates in the rack's mix.

``setting`` says what is limited and how, ``tasks`` has the jobs and schedules, ``slots`` reads what became of slots,
``leftovers`` what workers put right, ``timelines`` puts runs and grants in order, ``checks`` judges by them.
"""
