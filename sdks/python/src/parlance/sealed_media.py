"""Recordings that are encrypted for the server's decoders. Needs the extra `sealed-media`: pip install 'parlance-client[sealed-media]'."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, cast

try:
    from pyrage import encrypt_io, x25519
except ImportError as error:
    raise ImportError("Sealed media needs pyrage: pip install 'parlance-client[sealed-media]'.") from error

# More is written to a temporary file, which holds nothing in clear.
MEMORY_BYTES = 8 * 1024 * 1024


def seal_media(file: str | Path | bytes | IO[bytes], recipients: str | Iterable[str]) -> IO[bytes]:
    """Encrypts a recording in the age format (https://age-encryption.org/v1), and returns it as a file to upload.

    `recipients` has the `recipient` of the first key of `GET /media-keys`; add one of your own to be able to open what the server keeps.
    """
    names = [recipients] if isinstance(recipients, str) else list(recipients)
    keys = [x25519.Recipient.from_str(name) for name in names]
    if isinstance(file, (str, Path)):
        with Path(file).open("rb") as source:
            return _sealed(source, keys)
    return _sealed(io.BytesIO(file) if isinstance(file, bytes) else file, keys)


def _sealed(source: IO[bytes], keys: list[x25519.Recipient]) -> IO[bytes]:
    sealed = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)
    try:
        encrypt_io(source, sealed, keys)
    except BaseException:
        sealed.close()
        raise
    sealed.seek(0)
    return cast("IO[bytes]", sealed)
