"""Client of Parlance, the self-hosted transcription platform."""

from ._async_client import AsyncParlance
from ._client import Parlance
from .errors import (
    ApiError,
    ConnectionError,
    JobFailedError,
    ParlanceError,
    TimeoutError,
    UnexpectedResponseError,
    WebhookVerificationError,
)
from .options import CallOptions, Timeout
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncParlance",
    "CallOptions",
    "ConnectionError",
    "JobFailedError",
    "Parlance",
    "ParlanceError",
    "Timeout",
    "TimeoutError",
    "UnexpectedResponseError",
    "WebhookVerificationError",
    "verify_webhook",
]
