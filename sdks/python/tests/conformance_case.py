"""What the runners of the conformance suite share."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import parlance
from parlance import Timeout

SUITE = Path(__file__).parents[2] / "conformance"
API_KEY = "pl_conformance"
#: The server answers at once, or when the script of a connection did not end.
CONTROL_SECONDS = 60


def settings_of(case: dict[str, Any], base_url: str) -> dict[str, Any]:
    """The settings of the client of a case."""
    given = case.get("client", {})
    return {
        "base_url": base_url + given.get("base_url_suffix", ""),
        "api_key": given.get("api_key", API_KEY),
        "timeout": timeout_of(given.get("timeout")),
        "max_retries": given.get("max_retries", 2),
        "default_headers": given.get("default_headers"),
    }


def timeout_of(given: dict[str, float] | float | None) -> Timeout | float | None:
    """A time-out of a case, which has milliseconds."""
    if isinstance(given, dict):
        return Timeout(**{name: value / 1000 for name, value in given.items()})
    return given if given is None else given / 1000


def pattern(offset: int, length: int) -> bytes:
    """Bytes of a file of the suite: each is the rest of its place divided by 251."""
    repeated = bytes(index % 251 for index in range(offset, offset + 251)) * (length // 251 + 1)
    return repeated[:length]


TYPES: list[tuple[str, type[BaseException]]] = [
    ("unexpected_response", parlance.UnexpectedResponseError),
    ("api", parlance.ApiError),
    ("connection", parlance.ConnectionError),
    ("timeout", parlance.TimeoutError),
    ("job_failed", parlance.JobFailedError),
    ("live", parlance.LiveSessionError),
    ("webhook_verification", parlance.WebhookVerificationError),
    ("argument", parlance.ParlanceError),
    ("canceled", KeyboardInterrupt),
    ("canceled", asyncio.CancelledError),
]


def described(error: BaseException, keys: set[str]) -> dict[str, Any]:
    values = {**vars(error), "retryable": getattr(error, "retryable", None), "message": str(error)}
    key = getattr(error, "idempotency_key", None)
    values["idempotency_key"] = "sent" if keys == {key} else key
    values["type"] = next((name for name, kind in TYPES if isinstance(error, kind)), repr(error))
    return values


def assert_contains(actual: Any, expected: Any) -> None:
    if isinstance(expected, dict) and set(expected) == {"bytes"} and isinstance(actual, bytes):
        assert len(actual) == expected["bytes"]
    elif isinstance(expected, dict):
        assert isinstance(actual, dict)
        for name, value in expected.items():
            assert name in actual
            assert_contains(actual[name], value)
    elif isinstance(expected, list):
        assert len(actual) == len(expected)
        for each, wanted in zip(actual, expected, strict=True):
            assert_contains(each, wanted)
    else:
        assert actual == expected
