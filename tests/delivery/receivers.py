"""Receivers of alerts: an HTTP server, a mail server, and a connection that says what a test wants."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from windlass.delivery import AlertMessage
from windlass.delivery.message import FIRED

if TYPE_CHECKING:
    from cryptography import x509

HERE = "127.0.0.1"

Server = TypeVar("Server", ThreadingTCPServer, ThreadingHTTPServer)


def message(**changes: Any) -> AlertMessage:
    """An alert that fired."""
    from datetime import UTC, datetime

    known: dict[str, Any] = {
        "event_id": "01J8ZP3V1QK7D0C9R6T5M4N3B2.fired",
        "kind": FIRED,
        "at": datetime(2026, 11, 16, 9, 30, tzinfo=UTC),
        "rule": "depth",
        "severity": "critical",
        "summary": "1,204 jobs wait",
        "alert_id": "01J8ZP3V1QK7D0C9R6T5M4N3B2",
        "scope": "queue mail",
        "expression": "queue_depth > 1000",
        "values": {"queue_depth": 1204.0},
        "store": "windlass.db",
    }
    return AlertMessage(**{**known, **changes})


@dataclass
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Receiver:
    """What an HTTP server has received, and what it answers next; 200 where nothing is said."""

    port: int = 0
    requests: list[Received] = field(default_factory=list)
    answers: list[tuple[int, Mapping[str, str], bytes]] = field(default_factory=list)

    def url(self, path: str = "/hook", *, host: str = HERE, scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@contextmanager
def http_receiver(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """An HTTP server on this machine."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append(Received(self.path, dict(self.headers), body))
            status, headers, text = receiver.answers.pop(0) if receiver.answers else (200, {}, b"ok")
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            """Tests need no log of it."""

    server = ThreadingHTTPServer((HERE, 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_address[1]
    with _serving(server):
        yield receiver


@dataclass
class Mailbox:
    """What a mail server has received."""

    port: int = 0
    mails: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    refuses: str = ""
    """Answers this to the mail itself, if it is set."""


@contextmanager
def mail_server(context: ssl.SSLContext | None = None) -> Iterator[Mailbox]:
    """A mail server on this machine; it offers STARTTLS if it has a certificate."""
    mailbox = Mailbox()

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 here")
            encrypted = False
            while line := self.rfile.readline():
                verb, _, rest = line.decode().strip().partition(" ")
                match verb.upper():
                    case "EHLO":
                        offers = ["250-here"] + (["250-STARTTLS"] if context and not encrypted else [])
                        self.say(*offers, *(["250-AUTH PLAIN"] if encrypted else []), "250 SMTPUTF8")
                    case "STARTTLS" if context is not None:
                        self.say("220 go on")
                        self.request = context.wrap_socket(self.request, server_side=True)
                        self.setup()
                        encrypted = True
                    case "AUTH":
                        mailbox.logins.append(rest)
                        self.say("235 welcome")
                    case "RCPT":
                        mailbox.recipients.append(rest)
                        self.say("250 ok")
                    case "DATA":
                        self.take(encrypted)
                    case "QUIT":
                        self.say("221 bye")
                        break
                    case _:
                        self.say("250 ok")

        def finish(self) -> None:
            super().finish()
            self.request.close()

        def take(self, encrypted: bool) -> None:
            if mailbox.refuses:
                self.say(mailbox.refuses)
                return
            self.say("354 go on")
            lines: list[str] = []
            while (line := self.rfile.readline().decode()) != ".\r\n":
                lines.append(line)
            mailbox.mails.append("".join(lines))
            mailbox.encrypted.append(encrypted)
            self.say("250 accepted")

        def say(self, *lines: str) -> None:
            self.request.sendall("".join(f"{line}\r\n" for line in lines).encode())

    with _serving(ThreadingTCPServer((HERE, 0), Handler)) as server:
        mailbox.port = server.server_address[1]
        yield mailbox


@contextmanager
def raw_receiver(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port on this machine; ``talk`` is called with each connection. Both sides may leave when they want."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):  # the other side has left
                talk(self.request)

    with _serving(ThreadingTCPServer((HERE, 0), Handler)) as server:
        yield server.server_address[1]


@contextmanager
def _serving(server: Server) -> Iterator[Server]:
    server.daemon_threads = False  # they are waited for
    server.handle_error = _ignored  # type: ignore[method-assign]  # a client may leave whenever it wants
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _ignored(request: object, client_address: object) -> None:
    """Print nothing."""


@dataclass
class Certificate:
    """Of a server with this name, signed by itself."""

    file: Path

    @property
    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


def new_certificate(folder: Path, *names: str) -> Certificate:
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + certificate.public_bytes(encoding))
    return Certificate(file)


def _general_name(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
