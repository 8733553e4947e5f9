"""Seals a result with jwcrypto, which shares no code with the server's library: make_vectors.py >jwcrypto.json. The keys are of these vectors alone."""

import json

from jwcrypto.jwe import JWE
from jwcrypto.jwk import JWK

RESULT = {"job_id": "job_1", "created_at": "2026-11-27T00:00:00.000Z", "transcript": {"text": "Grüße aus Köln"}, "exports": {"txt": "Grüße aus Köln\n", "srt": "", "vtt": "WEBVTT\n"}}
KEYS = {"X25519": {"kty": "OKP", "crv": "X25519"}, "P-256": {"kty": "EC", "crv": "P-256"}, "RSA": {"kty": "RSA", "size": 2048}}


def vector(name: str, kind: dict) -> dict:
    key = JWK.generate(**kind)
    header = {"alg": "RSA-OAEP-256" if name == "RSA" else "ECDH-ES+A256KW", "enc": "A256GCM", "kid": key.thumbprint(), "cty": "json"}
    token = JWE(json.dumps(RESULT, ensure_ascii=False).encode(), json.dumps(header), algs=[header["alg"], "A256GCM"])
    token.add_recipient(key)
    return {"name": name, "private_key": key.export_private(as_dict=True), "jwe": token.serialize(compact=True), "result": RESULT}


print(json.dumps([vector(name, kind) for name, kind in KEYS.items()], ensure_ascii=False, indent=1))
