"""WebSockets of the package websockets, whose messages come to the inbox of a plan."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import ParlanceError, UnexpectedResponseError
from .effects import Connect, Failed, Incoming, Lost

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection
    from websockets.sync.client import ClientConnection as SyncClientConnection

#: A server that has enough audio for the moment stops reading, and answers a ping once it reads on.
PING_TIMEOUT = 60.0
CLOSE_TIMEOUT = 1.0
EXCERPT_CHARS = 200


def require_websockets() -> None:
    """Raises ParlanceError where the package is missing."""
    try:
        import websockets  # noqa: F401, PLC0415
    except ImportError as error:
        raise ParlanceError("Live sessions need the package websockets: pip install 'parlance-client[live]'.") from error


class SyncSocket:
    """A connection that is read in a thread of its own."""

    def __init__(self, connection: SyncClientConnection, stack: ExitStack, effect: Connect) -> None:
        self._connection = connection
        self._stack = stack
        self._inbox = effect.inbox
        threading.Thread(target=self._read, name="parlance-live-reader", daemon=True).start()

    @classmethod
    def open(cls, effect: Connect) -> SyncSocket:
        """Connects; `Failed` and UnexpectedResponseError are its errors."""
        from websockets.sync.client import connect  # noqa: PLC0415

        stack = ExitStack()
        with _failures():
            return cls(stack.enter_context(connect(effect.url, **_options(effect))), stack, effect)

    def send(self, frame: bytes | str) -> None:
        """Sends a frame, and waits while the connection is full."""
        with _failures():
            self._connection.send(frame)

    def close(self) -> None:
        """Closes the connection, lost or not."""
        self._stack.close()

    def _read(self) -> None:
        try:
            for text in self._connection:
                self._inbox.put_nowait(Incoming(self, text))
        except Exception:
            pass
        finally:
            self._inbox.put_nowait(Lost(self))


class AsyncSocket:
    """A connection that is read in a task of its own."""

    def __init__(self, connection: ClientConnection, stack: AsyncExitStack, effect: Connect) -> None:
        self._connection = connection
        self._stack = stack
        self._inbox = effect.inbox
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, effect: Connect) -> AsyncSocket:
        """Connects; `Failed` and UnexpectedResponseError are its errors."""
        from websockets.asyncio.client import connect  # noqa: PLC0415

        stack = AsyncExitStack()
        with _failures():
            return cls(await stack.enter_async_context(connect(effect.url, **_options(effect))), stack, effect)

    async def send(self, frame: bytes | str) -> None:
        """Sends a frame, and waits while the connection is full."""
        with _failures():
            await self._connection.send(frame)

    async def close(self) -> None:
        """Closes the connection, lost or not."""
        await self._stack.aclose()
        await self._reader

    async def _read(self) -> None:
        try:
            async for text in self._connection:
                self._inbox.put_nowait(Incoming(self, text))
        except Exception:
            pass
        finally:
            self._inbox.put_nowait(Lost(self))


def _options(effect: Connect) -> dict[str, Any]:
    return {
        "subprotocols": effect.subprotocols,
        "additional_headers": dict(effect.headers),
        "open_timeout": effect.seconds,
        "ping_timeout": PING_TIMEOUT,
        "close_timeout": CLOSE_TIMEOUT,
        # Audio does not become smaller.
        "compression": None,
        **({"ssl": effect.tls} if effect.tls else {}),
    }


@contextmanager
def _failures() -> Iterator[None]:
    from websockets.exceptions import InvalidStatus, WebSocketException  # noqa: PLC0415

    try:
        yield
    except InvalidStatus as error:
        answer = error.response
        excerpt = bytes(answer.body or b"").decode("utf-8", "replace")[:EXCERPT_CHARS]
        raise UnexpectedResponseError(answer.status_code, {name.lower(): value for name, value in answer.headers.raw_items()}, excerpt) from error
    except TimeoutError as error:
        raise Failed(True) from error
    except (WebSocketException, OSError) as error:
        raise Failed(False) from error
