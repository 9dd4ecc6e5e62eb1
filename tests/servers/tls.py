"""TLS in front of a server that may have been built without it, and certificates to go with it."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from tests.servers.binaries import ServerMissing

MISSING = "no certificates for the tests: put openssl on the PATH (Debian: apt install openssl)"


Begin = Callable[[socket.socket], None]


@dataclass(frozen=True, slots=True)
class Certificates:
    """Files of an authority of the test's own, and of a server and a client that it vouches for."""

    authority: Path
    server: Path
    server_key: Path
    client: Path
    client_key: Path


def make_certificates(folder: Path) -> Certificates:
    """For 127.0.0.1 and localhost, valid for a day."""
    if shutil.which("openssl") is None:
        raise ServerMissing(MISSING)
    names = folder / "names"
    names.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    _openssl(folder, "req -x509 -nodes -newkey rsa:2048 -days 1 -subj /CN=authority -keyout ca.key -out ca.crt")
    for name in ("server", "client"):
        _openssl(folder, f"req -nodes -newkey rsa:2048 -subj /CN={name} -keyout {name}.key -out {name}.csr")
        _openssl(
            folder,
            f"x509 -req -days 1 -in {name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names -out {name}.crt",
        )
    return Certificates(*(folder / name for name in ("ca.crt", "server.crt", "server.key", "client.crt", "client.key")))


def _openssl(folder: Path, arguments: str) -> None:
    subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)


@contextmanager
def tls_front(
    port: int, certificates: Certificates, *, asks_clients: bool = False, begin: Begin = lambda client: None
) -> Iterator[int]:
    """A port that speaks TLS and hands everything on to a port that does not; ends with its connections.

    ``begin`` says what a protocol says in the clear before.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.server, certificates.server_key)
    if asks_clients:
        context.load_verify_locations(certificates.authority)
        context.verify_mode = ssl.CERT_REQUIRED
    with ExitStack() as opened, socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=_serve, args=(listening, context, port, opened, begin), daemon=True).start()
        try:
            yield listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)  # wakes who accepts


def _serve(listening: socket.socket, context: ssl.SSLContext, port: int, opened: ExitStack, begin: Begin) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return  # it is over
        Thread(target=_serve_one, args=(client, context, port, opened, begin), daemon=True).start()


def _serve_one(client: socket.socket, context: ssl.SSLContext, port: int, opened: ExitStack, begin: Begin) -> None:
    with client, suppress(OSError):  # a client that does not trust us hangs up
        begin(client)
        _relay(client, context, port, opened)


def _relay(client: socket.socket, context: ssl.SSLContext, port: int, opened: ExitStack) -> None:
    with (
        context.wrap_socket(client, server_side=True) as outside,
        socket.create_connection(("127.0.0.1", port)) as inside,
    ):
        for end in (outside, inside):
            opened.callback(_hang_up, end)
        back = Thread(target=_hand_on, args=(inside, outside), daemon=True)
        back.start()
        _hand_on(outside, inside)
        back.join()


def _hand_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    _hang_up(target)


def _hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
