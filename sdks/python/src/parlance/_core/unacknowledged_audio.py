"""Audio that the server has not stored yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator


class UnacknowledgedAudio:
    """Pieces of audio in order, by their place in the session."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        #: The byte of the session at which the first piece begins.
        self._start = 0

    @property
    def is_empty(self) -> bool:
        """Whether everything is stored."""
        return not self._pieces

    def add(self, piece: bytes) -> None:
        """Keeps the next piece."""
        self._pieces.append(piece)

    def acknowledge(self, offset: int) -> None:
        """Drops what lies before the offset."""
        while self._pieces and self._start + len(self._pieces[0]) <= offset:
            self._start += len(self._pieces.popleft())
        if self._pieces and offset > self._start:
            self._pieces[0] = self._pieces[0][offset - self._start :]
            self._start = offset

    def pieces(self) -> Iterator[bytes]:
        """Everything that has to be sent again."""
        return iter(tuple(self._pieces))
