"""Claims over HTTP in the rack's mix: a web process, and a client that claims from it and dies now and then.

``setting`` says what is claimed, ``tasks`` declares it, ``claimer`` is the client, ``checks`` judges by what it was
answered, ``mutants`` are bugs that it finds.
"""
