"""Perform the effects of plans, over a synchronous and an asynchronous HTTP client."""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import AsyncIterable, AsyncIterator, Generator, Iterable, Iterator
from typing import Any, TypeVar, cast

import httpx

from ..errors import ParlanceError
from .effects import Close, CloseSource, Connect, Disconnect, Effect, Emit, Failed, Head, Open, Plan, Pull, Read, Receive, Sleep, Source, Transmit
from .sockets import AsyncSocket, SyncSocket

T = TypeVar("T")


class Left(BaseException):
    """The caller left a stream before its end."""


#: Larger bodies are handed over in parts: httpx keeps a body that is bytes until the garbage collector runs, and h11 copies it.
PART_BYTES = 64 * 1024


def _request(client: httpx.Client | httpx.AsyncClient, effect: Open, content: Any) -> httpx.Request:
    timeout = httpx.Timeout(effect.seconds)
    length = {"content-length": str(len(effect.body))} if isinstance(effect.body, bytes) and content is not effect.body else {}
    return client.build_request(effect.method, effect.url, headers={**effect.headers, **length}, content=content, timeout=timeout)


def _parts(body: bytes) -> Iterator[bytes]:
    for at in range(0, len(body), PART_BYTES):
        yield body[at : at + PART_BYTES]


async def _parts_async(body: bytes) -> AsyncIterator[bytes]:
    for part in _parts(body):
        yield part


def _set_read_timeout(head: Head, seconds: float | None) -> None:
    # The transport reads the time-out from the request when the reading of the body begins.
    head.response.request.extensions["timeout"]["read"] = seconds


class SyncDriver:
    """Performs effects in the calling thread."""

    new_inbox = staticmethod(queue.SimpleQueue[Any])

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def run(self, plan: Plan[T]) -> T:
        """The result of a plan that hands no items over."""
        items = self.iterate(plan)
        while True:
            try:
                next(items)
            except StopIteration as end:
                return cast("T", end.value)

    def iterate(self, plan: Plan[Any]) -> Generator[Any, None, Any]:
        """The items of a plan."""
        step = plan.send
        value: Any = None
        while True:
            try:
                effect = step(value)
            except StopIteration as end:
                return end.value
            try:
                if isinstance(effect, Emit):
                    yield effect.value
                    step, value = plan.send, None
                else:
                    step, value = plan.send, self._perform(effect)
            except GeneratorExit:
                self._leave(plan)
                raise
            except BaseException as error:
                step, value = plan.throw, error

    def _leave(self, plan: Plan[Any]) -> None:
        try:
            effect = plan.throw(Left())
            while True:
                effect = plan.send(self._perform(effect))
        except (Left, StopIteration):
            pass

    def _perform(self, effect: Effect) -> Any:
        try:
            return self._do(effect)
        except httpx.TimeoutException as error:
            raise Failed(True) from error
        except httpx.TransportError as error:
            raise Failed(False) from error

    def _do(self, effect: Effect) -> Any:  # noqa: PLR0911 - one for each effect
        match effect:
            case Open(body=body):
                return Head(self.client.send(_request(self.client, effect, self._content(body)), stream=True))
            case Read(head=head, seconds=seconds):
                if head.iterator is None:
                    _set_read_timeout(head, seconds)
                    head.iterator = head.response.iter_bytes()
                return next(cast("Iterator[bytes]", head.iterator), None)
            case Close(head=head):
                return head.response.close()
            case Sleep(seconds=seconds):
                return time.sleep(seconds)
            case Pull(source=source):
                return next(self._iterator(source), None)
            case CloseSource(source=source):
                close = getattr(source.iterator, "close", None)
                return close() if close else None
            case Connect():
                return SyncSocket.open(effect)
            case Receive(inbox=inbox, seconds=seconds):
                return _next_of(cast("queue.SimpleQueue[Any]", inbox), seconds)
            case Transmit(socket=socket, frame=frame):
                return cast("SyncSocket", socket).send(frame)
            case Disconnect(socket=socket):
                return cast("SyncSocket", socket).close()

    def _iterator(self, source: Source) -> Iterator[bytes]:
        if source.iterator is None:
            if not isinstance(source.pieces, Iterable):
                raise ParlanceError("The synchronous client cannot read an asynchronous iterator: use AsyncParlance.")
            source.iterator = iter(source.pieces)
        return cast("Iterator[bytes]", source.iterator)

    def _content(self, body: bytes | Source | None) -> Any:
        if isinstance(body, Source):
            return self._iterator(body)
        return _parts(body) if body and len(body) > PART_BYTES else body


class AsyncDriver:
    """Performs effects in the event loop."""

    new_inbox = staticmethod(asyncio.Queue[Any])

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def run(self, plan: Plan[T]) -> T:
        """The result of a plan that hands no items over."""
        step = plan.send
        value: Any = None
        while True:
            try:
                effect = step(value)
            except StopIteration as end:
                return cast("T", end.value)
            try:
                step, value = plan.send, await self._perform(effect)
            except BaseException as error:
                step, value = plan.throw, error

    async def iterate(self, plan: Plan[Any]) -> AsyncIterator[Any]:
        """The items of a plan."""
        step = plan.send
        value: Any = None
        while True:
            try:
                effect = step(value)
            except StopIteration:
                return
            try:
                if isinstance(effect, Emit):
                    yield effect.value
                    step, value = plan.send, None
                else:
                    step, value = plan.send, await self._perform(effect)
            except GeneratorExit:
                await self._leave(plan)
                raise
            except BaseException as error:
                step, value = plan.throw, error

    async def _leave(self, plan: Plan[Any]) -> None:
        try:
            effect = plan.throw(Left())
            while True:
                effect = plan.send(await self._perform(effect))
        except (Left, StopIteration):
            pass

    async def _perform(self, effect: Effect) -> Any:
        try:
            return await self._do(effect)
        except httpx.TimeoutException as error:
            raise Failed(True) from error
        except httpx.TransportError as error:
            raise Failed(False) from error

    async def _do(self, effect: Effect) -> Any:  # noqa: PLR0911 - one for each effect
        match effect:
            case Open(body=body):
                return Head(await self.client.send(_request(self.client, effect, self._content(body)), stream=True))
            case Read(head=head, seconds=seconds):
                if head.iterator is None:
                    _set_read_timeout(head, seconds)
                    head.iterator = head.response.aiter_bytes()
                return await anext(cast("AsyncIterator[bytes]", head.iterator), None)
            case Close(head=head):
                return await head.response.aclose()
            case Sleep(seconds=seconds):
                return await asyncio.sleep(seconds)
            case Pull(source=source):
                return await anext(self._stream(source), None)
            case CloseSource(source=source):
                close = getattr(source.iterator, "aclose", None)
                return await close() if close else None
            case Connect():
                return await AsyncSocket.open(effect)
            case Receive(inbox=inbox, seconds=seconds):
                return await _next_of_async(cast("asyncio.Queue[Any]", inbox), seconds)
            case Transmit(socket=socket, frame=frame):
                return await cast("AsyncSocket", socket).send(frame)
            case Disconnect(socket=socket):
                return await cast("AsyncSocket", socket).close()

    def _content(self, body: bytes | Source | None) -> Any:
        if isinstance(body, Source):
            return self._stream(body)
        return _parts_async(body) if body and len(body) > PART_BYTES else body

    def _stream(self, source: Source) -> AsyncIterator[bytes]:
        if source.iterator is None:
            pieces = source.pieces
            source.iterator = aiter(pieces) if isinstance(pieces, AsyncIterable) else _in_threads(pieces)
        return cast("AsyncIterator[bytes]", source.iterator)


def _next_of(inbox: queue.SimpleQueue[Any], seconds: float) -> Any:
    try:
        return inbox.get(timeout=max(seconds, 0))
    except queue.Empty:
        return None


async def _next_of_async(inbox: asyncio.Queue[Any], seconds: float) -> Any:
    try:
        return await asyncio.wait_for(inbox.get(), max(seconds, 0))
    except asyncio.TimeoutError:
        return None


async def _in_threads(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Reads in threads, since a disk may be slow."""
    iterator = iter(pieces)
    try:
        while (piece := await asyncio.to_thread(next, iterator, None)) is not None:
            yield piece
    finally:
        close = getattr(iterator, "close", None)
        if close:
            close()
