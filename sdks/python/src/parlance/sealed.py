"""Results that are sealed for the caller. Needs the extra `sealed`: pip install 'parlance-client[sealed]'."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import NotRequired, TypedDict

try:
    from jwcrypto.jwe import JWE
    from jwcrypto.jwk import JWK
except ImportError as error:
    raise ImportError("Sealed results need jwcrypto: pip install 'parlance-client[sealed]'.") from error

if TYPE_CHECKING:
    from . import types

# The algorithms that the server seals with: nothing else is opened, whatever the header says.
ALGORITHMS = ["ECDH-ES+A256KW", "RSA-OAEP-256", "A256GCM"]


class Exports(TypedDict):
    """The transcript as files."""

    txt: str
    srt: str
    vtt: str


class SealedResult(TypedDict):
    """The results of a job with a `result_key`. What it was created without, or what failed, is missing."""

    job_id: str
    created_at: str
    transcript: types.Transcript
    summary: NotRequired[dict[str, Any]]
    highlights: NotRequired[types.Highlights]
    chapters: NotRequired[types.Chapters]
    entities: NotRequired[types.Entities]
    exports: Exports


def new_result_key() -> tuple[types.ResultKey, dict[str, Any]]:
    """A new pair of keys as JWK, of X25519: the public one is the `result_key` of jobs, the private one opens their results. Nobody can open them without it."""
    pair = JWK.generate(kty="OKP", crv="X25519")
    return cast("types.ResultKey", pair.export_public(as_dict=True)), cast("dict[str, Any]", pair.export_private(as_dict=True))


def open_sealed(jwe: str, private_key: Mapping[str, Any]) -> SealedResult:
    """Opens what `transcriptions.sealed`, or the `sealed_result` of a webhook, gives. Raises a `JWException` of jwcrypto for another key or changed results."""
    token = JWE(algs=ALGORITHMS)
    token.deserialize(jwe, key=JWK(**private_key))
    return cast("SealedResult", json.loads(token.payload))
