"""Verification of webhooks by Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from .errors import WebhookVerificationError

if TYPE_CHECKING:
    from .types import CreatedWebhookEndpoint, WebhookEvent, WebhookSecret

DEFAULT_TOLERANCE = 300.0
SECRET_PREFIX = "whsec_"


def verify_webhook(
    raw_body: str | bytes,
    headers: Mapping[str, str],
    secret: str | WebhookSecret | CreatedWebhookEndpoint,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
    now: float | None = None,
) -> WebhookEvent:
    """Verifies a webhook and reads its body, which is needed as it arrived: text or bytes, before any parser.

    The secret is `whsec_…`, or the answer that has it as `secret`."""
    if not isinstance(raw_body, str | bytes):
        raise WebhookVerificationError("The raw body is needed, as text or bytes: a parsed object cannot be verified. With Flask, use request.get_data().")
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    given = {name.lower(): value for name, value in headers.items()}
    identifier, sent_at, signatures = (given.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not identifier or not sent_at or not signatures:
        raise WebhookVerificationError("The request has no headers webhook-id, webhook-timestamp and webhook-signature.")
    if not _is_recent(sent_at, time.time() if now is None else now, tolerance):
        raise WebhookVerificationError(f"The webhook is not of the last {tolerance:g} seconds. Check the clock.")
    key = _key(secret if isinstance(secret, str) else secret["secret"])
    expected = base64.b64encode(hmac.new(key, f"{identifier}.{sent_at}.".encode() + body, hashlib.sha256).digest())
    for each in signatures.split(" "):
        version, _, signature = each.partition(",")
        if version == "v1" and hmac.compare_digest(expected, signature.encode()):
            return cast("WebhookEvent", json.loads(body))
    raise WebhookVerificationError("No signature is made with the secret. Check that the body is the raw one, and the secret that of the endpoint.")


def _is_recent(sent_at: str, now: float, tolerance: float) -> bool:
    try:
        return abs(now - float(sent_at)) <= tolerance
    except ValueError:
        return False


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise WebhookVerificationError("The secret is not one of webhooks: whsec_ and base64.")
    return key
