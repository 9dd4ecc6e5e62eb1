"""Jobs that died with their process, and those beside them.

``checks`` judges who was charged and who ran beside whom, ``mutants`` are bugs that it finds.
"""
