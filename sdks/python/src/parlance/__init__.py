"""Client of Parlance, the self-hosted transcription platform."""

from ._async.client import AsyncParlance
from ._async.live import AsyncLiveSession
from ._sync.client import Parlance
from ._sync.live import LiveSession
from .errors import (
    ApiError,
    ConnectionError,
    JobFailedError,
    LiveSessionError,
    ParlanceError,
    TimeoutError,
    UnexpectedResponseError,
    WebhookVerificationError,
)
from .options import CallOptions, ResponseInfo, Timeout
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncLiveSession",
    "AsyncParlance",
    "CallOptions",
    "ConnectionError",
    "JobFailedError",
    "LiveSession",
    "LiveSessionError",
    "Parlance",
    "ParlanceError",
    "ResponseInfo",
    "Timeout",
    "TimeoutError",
    "UnexpectedResponseError",
    "WebhookVerificationError",
    "verify_webhook",
]
