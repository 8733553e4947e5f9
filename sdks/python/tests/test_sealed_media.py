"""Sealed media: opened by the library that sealed it, and by the one of the server (`apps/ingest/test/age` has its vectors)."""

from __future__ import annotations

import io
from pathlib import Path

import pyrage
import pytest

from parlance.sealed_media import seal_media

CLEAR = b"speech" * 40_000


@pytest.mark.parametrize("kind", ["bytes", "file", "path"])
def test_each_recipient_opens_what_was_sealed(kind: str, tmp_path: Path) -> None:
    identities = [pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()]
    path = tmp_path / "meeting.mp3"
    path.write_bytes(CLEAR)
    sources: dict[str, bytes | io.BytesIO | Path] = {"bytes": CLEAR, "file": io.BytesIO(CLEAR), "path": path}
    with seal_media(sources[kind], [str(identity.to_public()) for identity in identities]) as sealed:
        age = sealed.read()
    assert age.startswith(b"age-encryption.org/v1\n")
    for identity in identities:
        assert pyrage.decrypt(age, [identity]) == CLEAR


def test_nobody_else_opens_it() -> None:
    with seal_media(CLEAR, str(pyrage.x25519.Identity.generate().to_public())) as sealed, pytest.raises(pyrage.DecryptError):
        pyrage.decrypt(sealed.read(), [pyrage.x25519.Identity.generate()])


def test_refuses_what_is_no_recipient() -> None:
    with pytest.raises(pyrage.RecipientError):
        seal_media(CLEAR, "age1nobody")
