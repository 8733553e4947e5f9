"""Plans of uploads: one request for a small file, pieces by the tus protocol for a large one."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import ApiError, ParlanceError, with_key
from ..options import CallOptions
from .effects import CloseSource, Plan, Pull, Sleep, Source
from .files import FileInput, pieces_of
from .retries import pause_before
from .transport import Request, Transport, new_key, path

if TYPE_CHECKING:
    from ..types import Upload

#: Larger files are sent in pieces of this size, each of which is repeated by itself.
PIECE_BYTES = 8 * 1024 * 1024
TUS = {"tus-resumable": "1.0.0"}

Progress = Callable[[int, "int | None"], None]


@dataclass(frozen=True)
class _Sending:
    transport: Transport
    name: str | None
    size: int | None
    options: CallOptions
    on_progress: Progress | None

    def report(self, sent: int) -> None:
        if self.on_progress:
            self.on_progress(sent, self.size)


def upload(transport: Transport, file: FileInput, file_name: str | None, size: int | None, on_progress: Progress | None, options: CallOptions | None) -> Plan[Upload]:
    """Uploads a file, of which few pieces are in memory."""
    given = (options or CallOptions()).with_key(new_key())
    pieces = pieces_of(file, PIECE_BYTES)
    known = size if pieces.size is None else pieces.size
    sending = _Sending(transport, file_name or pieces.name, known, given, on_progress)
    try:
        return (yield from _send(pieces.source, sending))
    except ParlanceError as error:
        with_key(error, given.idempotency_key)
        raise
    finally:
        yield CloseSource(pieces.source)


def _send(source: Source, sending: _Sending) -> Plan[Upload]:
    first: bytes = (yield Pull(source)) or b""
    if sending.size is not None and sending.size > PIECE_BYTES:
        return (yield from _send_in_pieces(first, source, sending, sending.size))
    second: bytes | None = yield Pull(source)
    if second is not None:
        return (yield from _send_stream([first, second], source, sending))
    result = yield from _post(first, sending)
    sending.report(len(first))
    return result


def _post(body: bytes | Source, sending: _Sending) -> Plan[Upload]:
    headers = {"content-type": "application/octet-stream"}
    request = Request("POST", "/uploads", {"file_name": sending.name}, body=body, headers=headers)
    return (yield from sending.transport.json(request, sending.options))


def _send_stream(first: list[bytes], source: Source, sending: _Sending) -> Plan[Upload]:
    """One request for a stream of unknown size, which cannot be repeated."""
    if sending.size is not None:
        raise ParlanceError(f"The file has more bytes than its size, {sending.size}.")
    rest = source.iterator
    watched: Any = _watched(first, rest, sending.report) if isinstance(rest, Iterator) else _watched_async(first, rest, sending.report)
    return (yield from _post(Source(watched), sending))


def _watched(first: list[bytes], rest: Iterator[bytes], report: Callable[[int], None]) -> Any:
    sent = 0
    for each in (first, rest):
        for piece in each:
            yield piece
            sent += len(piece)
            report(sent)


async def _watched_async(first: list[bytes], rest: Any, report: Callable[[int], None]) -> Any:
    sent = 0
    for piece in first:
        yield piece
        sent += len(piece)
        report(sent)
    async for piece in rest:
        yield piece
        sent += len(piece)
        report(sent)


def _send_in_pieces(first: bytes, source: Source, sending: _Sending, size: int) -> Plan[Upload]:
    """By the tus protocol: after a failure the server says which bytes it has."""
    metadata = None if sending.name is None else f"filename {b64encode(sending.name.encode()).decode()}"
    headers = {**TUS, "upload-length": str(size), "upload-metadata": metadata}
    created: Any = yield from sending.transport.json(Request("POST", "/uploads", headers=headers), sending.options)
    where = path("uploads", created["upload_id"])
    start = offset = 0
    piece: bytes | None = first
    while piece:
        end = start + len(piece)
        if end > size:
            raise ParlanceError(f"The file has more bytes than its size, {size}.")
        while offset < end:
            offset = yield from _append(where, offset, piece[offset - start :], sending)
        start = end
        sending.report(end)
        piece = yield Pull(source)
    if start < size:
        raise ParlanceError(f"The file has {start} bytes, fewer than its size, {size}.")
    return (yield from sending.transport.json(Request("GET", where), sending.options))


def _append(where: str, begin: int, body: bytes, sending: _Sending) -> Plan[int]:
    """The number of bytes that the server has afterwards."""
    transport, options = sending.transport, sending.options
    headers = {**TUS, "content-type": "application/offset+octet-stream", "upload-offset": str(begin)}
    attempts = 0
    while True:
        try:
            yield from transport.answer(Request("PATCH", where, body=body, headers=headers), replace(options, max_retries=0))
            return begin + len(body)
        except ParlanceError as error:
            is_elsewhere = isinstance(error, ApiError) and error.code == "upload_offset_mismatch"
            pause = 0.0 if is_elsewhere else pause_before(attempts, error)
            if pause is None or attempts >= transport.max_retries_of(options):
                raise
            yield Sleep(pause)
            head = yield from transport.answer(Request("HEAD", where, headers=TUS), options)
            offset = int(head.headers.get("upload-offset", "-1"))
            if offset < begin:
                raise
            if offset > begin:
                return offset
        attempts += 1
