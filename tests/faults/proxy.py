"""A TCP proxy between a test's processes and a real server, which cuts, delays and swallows as the test says."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Thread
from time import monotonic
from urllib.parse import urlsplit, urlunsplit

from tests.places.place import ServerPlace
from tests.waiting import PATIENCE

_RESET = struct.pack("ii", 1, 0)
"""Linger for no time at all: the kernel answers with RST instead of an orderly end."""
_CHUNK = 1 << 18
_MOMENT = 0.1


@dataclass
class Trap:
    """What happens to the connection that carries ``marker``, once."""

    marker: bytes
    in_reply: bool
    """Whether it waits for an answer of the server; the client never sees that answer."""
    reach: int | None = None
    """How many bytes of the request come through; all of them, and none of the reply, if there is no number."""
    sprung: Event = field(default_factory=Event)

    def await_sprung(self) -> None:
        assert self.sprung.wait(PATIENCE), f"nobody sent {self.marker!r}"


class Proxy:
    """Listens on a port of its own; everything a test may do to the traffic is a method.

    Bytes are what it knows: a request is what a client sends at once, which holds for the short calls of our tests.
    """

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._lock = Lock()
        self._pairs: set[_Pair] = set()
        self._turns_away = Event()
        self._traps: list[Trap] = []
        """Only the first of them can spring."""
        self.swallows = False
        self.loses_news = False
        self.delay = 0.0
        """Seconds by which each request comes late."""
        self.attempts: list[float] = []
        """When somebody connected, on the monotonic clock."""
        self.last_request = 0.0
        """When the last request passed, on the monotonic clock."""
        self.most_connections = 0
        """How many were open at once."""
        self.news_lost = Event()
        self.port = 0
        self._listener: socket.socket | None = None
        self._listen()

    # What the test does.

    def cut(self, *, gently: bool = False) -> None:
        """End every connection: at once (RST), or in order (FIN)."""
        for pair in self._taken():
            pair.end(gently=gently)

    def refuse(self) -> None:
        """As after the death of the server: nobody listens on the port."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
            listener.close()
        self.cut()

    def turn_away(self) -> None:
        """Like ``refuse``, but whoever connects is counted before it is thrown out."""
        self._turns_away.set()
        self.cut()

    def swallow(self) -> None:
        """Let everything disappear, as a network does that is cut without anybody's knowledge.

        Connections of this time stay dumb for ever: their streams have lost bytes, or the network has forgotten them.
        """
        self.swallows = True
        with self._lock:
            for pair in self._pairs:
                pair.is_dumb = True

    def restore(self) -> None:
        """Be a plain proxy again, for new connections and for those that have lost nothing."""
        self.swallows = self.loses_news = False
        self._turns_away.clear()
        self.delay = 0.0
        self._traps = []
        if self._listener is None:
            self._listen()

    def cut_request(self, marker: bytes, *, reach: int) -> Trap:
        """Cut the connection that sends the marker next, after so many bytes of that request (from its end if < 0)."""
        return self.set(Trap(marker, in_reply=False, reach=reach))

    def lose_reply_to(self, marker: bytes) -> Trap:
        """Let the server carry out the next request with the marker, and cut instead of passing the answer on."""
        return self.set(Trap(marker, in_reply=False))

    def lose_reply_with(self, marker: bytes) -> Trap:
        """The same for an answer that carries the marker, whatever the request was."""
        return self.set(Trap(marker, in_reply=True))

    def lay(self, *traps: Trap) -> None:
        """Traps that spring one after the other, each for the next that carries its marker."""
        with self._lock:
            self._traps = [*traps]

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._pairs)

    @property
    def is_quiet(self) -> bool:
        """Whether no request is under way, nor was a moment ago."""
        with self._lock:
            pairs = list(self._pairs)
        return monotonic() - self.last_request > _MOMENT and not any(pair.is_asked for pair in pairs)

    def attempts_since(self, then: float) -> int:
        return sum(at >= then for at in self.attempts)

    def close(self) -> None:
        self.refuse()

    # What happens then.

    def set(self, trap: Trap) -> Trap:
        self.lay(trap)
        return trap

    def set_again(self, trap: Trap) -> None:
        """For one that hit what was over already."""
        with self._lock:
            self._traps.insert(0, trap)

    def spring(self, chunk: bytes, *, in_reply: bool) -> Trap | None:
        """The trap that this chunk springs, if it does."""
        with self._lock:
            if not self._traps or self._traps[0].in_reply is not in_reply or self._traps[0].marker not in chunk:
                return None
            return self._traps.pop(0)

    def forget(self, pair: _Pair) -> None:
        with self._lock:
            self._pairs.discard(pair)

    def _taken(self) -> list[_Pair]:
        with self._lock:
            pairs, self._pairs = list(self._pairs), set()
        return pairs

    def _listen(self) -> None:
        listener = self._listener = socket.create_server(("127.0.0.1", self.port), backlog=512)
        self.port = listener.getsockname()[1]
        Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.attempts.append(monotonic())
            self._join(client)

    def _join(self, client: socket.socket) -> None:
        if self._turns_away.is_set():
            _end(client, gently=False)
            return
        try:
            server = socket.create_connection(self._server)
        except OSError:  # it is down for real
            _end(client, gently=False)
            return
        pair = _Pair(self, client, server)
        with self._lock:
            self._pairs.add(pair)
            self.most_connections = max(self.most_connections, len(self._pairs))
        pair.start()
        if self._turns_away.is_set():
            self.cut()


class _Pair:
    """A client's connection and ours to the server, with a thread for each direction."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self.is_dumb = False
        self.is_asked = False
        """Whether the server owes an answer."""
        self._awaits_reply: Trap | None = None
        self._loses_replies = False
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def start(self) -> None:
        for carry in (self._carry_requests, self._carry_replies):
            Thread(target=carry, daemon=True).start()

    def end(self, *, gently: bool) -> None:
        self._proxy.forget(self)
        for end in (self._client, self._server):
            _end(end, gently=gently)

    def _carry_requests(self) -> None:
        for chunk in _chunks(self._client):
            self._proxy.last_request, self.is_asked = monotonic(), True
            trap = self._proxy.spring(chunk, in_reply=False)
            if self._is_swallowed():
                continue
            if self._proxy.delay:
                Event().wait(self._proxy.delay)
            if trap is not None and trap.reach is not None:
                self._loses_replies = True  # the server may be quicker than we are
                with suppress(OSError):
                    self._server.sendall(chunk[: trap.reach])
                # The server's end is closed in order, so that it reads what came before.
                self._proxy.forget(self)
                _end(self._server, gently=True)
                _end(self._client, gently=False)
                trap.sprung.set()
                return
            self._awaits_reply = trap or self._awaits_reply
            try:
                self._server.sendall(chunk)
            except OSError:  # this pair was cut
                break
        self.end(gently=True)
        # The client has lost its patience before the answer came: the trap is for the next that sends its marker.
        if self._awaits_reply is not None:
            self._proxy.set_again(self._awaits_reply)

    def _carry_replies(self) -> None:
        for chunk in _chunks(self._server):
            self.is_asked = False
            trap, self._awaits_reply = self._awaits_reply, None
            trap = trap or self._proxy.spring(chunk, in_reply=True)
            if trap is not None:
                self.end(gently=False)
                trap.sprung.set()
                return
            if self._loses_replies or self._is_swallowed():
                continue
            if self._proxy.loses_news and _is_news(chunk):
                self._proxy.news_lost.set()
                continue
            with suppress(OSError):
                self._client.sendall(chunk)
        if not self.is_dumb:  # behind a black hole the client does not hear of the server's end
            self.end(gently=True)

    def _is_swallowed(self) -> bool:
        self.is_dumb = self.is_dumb or self._proxy.swallows
        return self.is_dumb


def _chunks(end: socket.socket) -> Iterator[bytes]:
    with suppress(OSError):
        while chunk := end.recv(_CHUNK):
            yield chunk


def _is_news(chunk: bytes) -> bool:
    """Whether the server says this by itself: PostgreSQL's NotificationResponse, or a message of Redis's channels."""
    return chunk.startswith((b"A\x00", b"*3\r\n$7\r\nmessage"))


def _end(end: socket.socket, *, gently: bool) -> None:
    with suppress(OSError):
        if not gently:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        # A thread that reads keeps the connection alive beyond its close, so it is woken first.
        end.shutdown(socket.SHUT_RDWR if gently else socket.SHUT_RD)
    end.close()


@contextmanager
def proxied(place: ServerPlace) -> Iterator[tuple[ServerPlace, Proxy]]:
    """The place as processes see it through a proxy, and the proxy."""
    address = urlsplit(place.url)
    assert address.hostname is not None
    assert address.port is not None
    proxy = Proxy(address.hostname, address.port)
    user = f"{address.username}@" if address.username else ""
    try:
        yield replace(place, url=urlunsplit(address._replace(netloc=f"{user}127.0.0.1:{proxy.port}"))), proxy
    finally:
        proxy.close()
