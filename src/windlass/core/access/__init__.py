"""Who may do what over HTTP: roles, and tokens as texts.

Files, in reading order:

- ``roles``: What a caller may do: viewer, operator, admin, or worker.
- ``token_text``: Makes the text of a token, and the digest under which it is stored.
- ``networks``: Addresses and networks as settings name them.
"""
