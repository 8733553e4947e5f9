"""What a plan asks of the world. A plan is a generator: both clients perform its effects and send it the results."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any, Generic, Protocol, TypeVar

import httpx

T = TypeVar("T")


@dataclass(frozen=True)
class Open:
    """Sends a request, and answers a `Head` once the head of the response has come."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | Source | None
    seconds: float | None


@dataclass(frozen=True)
class Read:
    """Answers the next piece of a body, or None at its end."""

    head: Head
    seconds: float | None


@dataclass(frozen=True)
class Close:
    """Gives the connection of a response back."""

    head: Head


@dataclass(frozen=True)
class Sleep:
    """Waits."""

    seconds: float


@dataclass(frozen=True)
class Pull:
    """Answers the next piece of a source, or None at its end."""

    source: Source


@dataclass(frozen=True)
class CloseSource:
    """Closes what a source opened."""

    source: Source


@dataclass(frozen=True)
class Emit(Generic[T]):
    """Hands an item to the caller of a stream or a list."""

    value: T


@dataclass(frozen=True)
class Connect:
    """Opens a WebSocket and answers it. Its messages come to the inbox as `Incoming`, and its end as `Lost`."""

    url: str
    subprotocols: list[str]
    headers: Mapping[str, str]
    seconds: float
    tls: SSLContext | None
    inbox: Inbox


@dataclass(frozen=True)
class Receive:
    """Answers the next item of an inbox, or None when none came in time."""

    inbox: Inbox
    seconds: float


@dataclass(frozen=True)
class Transmit:
    """Sends bytes or text on a WebSocket, and waits while its connection is full."""

    socket: Socket
    frame: bytes | str


@dataclass(frozen=True)
class Disconnect:
    """Closes a WebSocket."""

    socket: Socket


class Inbox(Protocol):
    """A queue of what a plan receives, from sockets and from its caller."""

    def put_nowait(self, item: Any, /) -> None:
        """Adds an item."""


class Socket(Protocol):
    """An open WebSocket of a driver."""


@dataclass(frozen=True)
class Incoming:
    """A message of a WebSocket."""

    socket: Socket
    text: str | bytes


@dataclass(frozen=True)
class Lost:
    """The end of a WebSocket."""

    socket: Socket


class Source:
    """An input whose pieces are pulled, each at most as large as its own input gives them."""

    def __init__(self, pieces: Iterable[bytes] | AsyncIterable[bytes]) -> None:
        self.pieces = pieces
        self.iterator: Iterator[bytes] | AsyncIterator[bytes] | None = None


class Head:
    """The head of a response whose body is still to be read."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.iterator: Iterator[bytes] | AsyncIterator[bytes] | None = None


class Failed(Exception):
    """An effect that failed: `is_timeout` says how, and the cause has the rest."""

    def __init__(self, is_timeout: bool) -> None:
        super().__init__()
        self.is_timeout = is_timeout


Effect = Open | Read | Close | Sleep | Pull | CloseSource | Emit[Any] | Connect | Receive | Transmit | Disconnect
Plan = Generator[Effect, Any, T]
