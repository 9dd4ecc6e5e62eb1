"""``windlass password``: writes a line of a password file."""

from __future__ import annotations

import sys

import click

from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message


@click.command()
@click.argument("name", metavar="USER")
@click.option("--role", type=click.Choice(["viewer", "operator", "admin"]), default="viewer", show_default=True)
@with_output
def password(*, out: Output, name: str, role: str) -> None:
    """Print a line for a file of users (`windlass web --password-file`); the password is asked for, or read from stdin.

    Only its scrypt hash is printed.
    """
    from windlass.web.security.users import password_line

    if sys.stdin.isatty():
        text = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    else:
        text = sys.stdin.readline().rstrip("\r\n")
    line = password_line(name, role, text)
    out.show(Message(line, {"user": name, "role": role, "line": line}))
