"""TLS in front of a server that may have been built without it, and certificates to go with it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import trustme

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
    """For 127.0.0.1 and localhost."""
    authority = trustme.CA()
    made = Certificates(*(folder / name for name in ("ca.crt", "server.crt", "server.key", "client.crt", "client.key")))
    authority.cert_pem.write_to_path(str(made.authority))
    for certificate, key in ((made.server, made.server_key), (made.client, made.client_key)):
        issued = authority.issue_cert("127.0.0.1", "localhost")
        issued.private_key_pem.write_to_path(str(key))
        for number, pem in enumerate(issued.cert_chain_pems):
            pem.write_to_path(str(certificate), append=number > 0)
    return made


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
