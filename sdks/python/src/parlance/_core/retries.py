"""Which errors are retried, and when."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from ..errors import ApiError, ParlanceError, is_transient

FIRST_PAUSE = 0.5
MAX_PAUSE = 8.0
#: A server that wants a longer pause gets no retry: the caller decides.
MAX_RETRY_AFTER = 60.0


def pause_before(attempt: int, error: BaseException) -> float | None:
    """Seconds before the next attempt, or None where there is none."""
    if not _is_retried(error):
        return None
    wanted = retry_after(error.headers) if isinstance(error, ApiError) else None
    if wanted is not None:
        return None if wanted > MAX_RETRY_AFTER else wanted + random.random() * FIRST_PAUSE * min(wanted, 1)
    return min(FIRST_PAUSE * 2.0**attempt, MAX_PAUSE) * (0.5 + random.random() / 2)


def _is_retried(error: BaseException) -> bool:
    if isinstance(error, ApiError):
        return error.code == "idempotency_in_flight" or (is_transient(error.status) and error.retryable)
    return isinstance(error, ParlanceError) and error.retryable


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or as a date."""
    value = headers.get("retry-after")
    if not value:
        return None
    try:
        seconds = float(value) if value[0].isdigit() else parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError):
        return None
    return max(seconds, 0.0)
