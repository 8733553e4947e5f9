"""Inputs of uploads as pieces of one size, so that no file is ever whole in memory."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Union

from ..errors import ParlanceError
from .effects import Source

FileInput = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO, Iterable[bytes], AsyncIterable[bytes]]


@dataclass(frozen=True)
class FilePieces:
    """A file in pieces of one size but for the last."""

    name: str | None
    #: None for a stream.
    size: int | None
    source: Source


def pieces_of(file: FileInput, piece_bytes: int) -> FilePieces:
    """The pieces of an input; a text is a path."""
    if isinstance(file, str | os.PathLike):
        path = Path(file)
        # A pipe has no size: it is a stream.
        size = path.stat().st_size if path.is_file() else None
        return FilePieces(path.name, size, Source(_of_path(path, piece_bytes)))
    if isinstance(file, bytes | bytearray | memoryview):
        view = memoryview(file).cast("B")
        return FilePieces(None, len(view), Source(bytes(view[at : at + piece_bytes]) for at in range(0, len(view), piece_bytes)))
    if hasattr(file, "read"):
        return FilePieces(_name(file), _size(file), Source(_regrouped(iter(lambda: file.read(piece_bytes), b""), piece_bytes)))
    if isinstance(file, AsyncIterable):
        return FilePieces(None, None, Source(_regrouped_async(file, piece_bytes)))
    if isinstance(file, Iterable):
        return FilePieces(None, None, Source(_regrouped(iter(file), piece_bytes)))
    raise ParlanceError("`file` has to be a path, bytes, a binary file, or an iterator of bytes. For a URL, use audio_url.")


def as_it_comes(file: FileInput, piece_bytes: int) -> Source:
    """The pieces of an input as soon as they are there, so that those of a microphone or a pipe do not wait for others."""
    if hasattr(file, "read"):
        read = getattr(file, "read1", file.read)
        return Source(iter(lambda: read(piece_bytes), b""))
    if isinstance(file, AsyncIterable | Iterable) and not isinstance(file, str | os.PathLike | bytes | bytearray | memoryview):
        return Source(file)
    return pieces_of(file, piece_bytes).source


def _of_path(path: Path, piece_bytes: int) -> Iterator[bytes]:
    with path.open("rb") as opened:
        while piece := opened.read(piece_bytes):
            yield piece


def _name(file: object) -> str | None:
    name = getattr(file, "name", None)
    return os.path.basename(name) if isinstance(name, str) else None


def _size(file: Any) -> int | None:
    """The bytes from the position of a file to its end, where it has one."""
    try:
        if not file.seekable():
            return None
        start: int = file.tell()
        end: int = file.seek(0, os.SEEK_END)
        file.seek(start)
        return end - start
    except (OSError, AttributeError):
        return None


class _Regrouping:
    """Makes pieces of the wanted size, at most one of which is kept."""

    def __init__(self, piece_bytes: int) -> None:
        self.piece_bytes = piece_bytes
        self.kept = bytearray()

    def add(self, piece: bytes) -> Iterator[bytes]:
        view = memoryview(piece)
        while len(self.kept) + len(view) >= self.piece_bytes:
            missing = self.piece_bytes - len(self.kept)
            self.kept += view[:missing]
            view = view[missing:]
            yield bytes(self.kept)
            self.kept.clear()
        self.kept += view


def _regrouped(pieces: Iterator[bytes], piece_bytes: int) -> Iterator[bytes]:
    regrouping = _Regrouping(piece_bytes)
    for piece in pieces:
        yield from regrouping.add(piece)
    if regrouping.kept:
        yield bytes(regrouping.kept)


async def _regrouped_async(pieces: AsyncIterable[bytes], piece_bytes: int) -> AsyncIterator[bytes]:
    regrouping = _Regrouping(piece_bytes)
    async for piece in pieces:
        for whole in regrouping.add(piece):
            yield whole
    if regrouping.kept:
        yield bytes(regrouping.kept)
