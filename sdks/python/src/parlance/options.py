"""What clients and calls take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Timeout:
    """Time-outs in seconds; 0 is no limit, and None is that of the client."""

    #: Until the head of a response, by default 30 s. Long polls and large bodies have more.
    connect: float | None = None
    #: Between two pieces of a body, by default 60 s.
    read: float | None = None
    #: For a call with its retries, by default ten minutes. Streams have none.
    total: float | None = None


@dataclass(frozen=True)
class ResponseInfo:
    """The head of a response."""

    status: int
    headers: Mapping[str, str]
    request_id: str | None


@dataclass(frozen=True)
class CallOptions:
    """What every call takes as `options`."""

    #: A number is the total.
    timeout: Timeout | float | None = None
    max_retries: int | None = None
    #: By default one for each call, which its retries share.
    idempotency_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Receives the head of each response that is no error.
    on_response: Callable[[ResponseInfo], None] | None = None

    def with_key(self, key: str) -> CallOptions:
        """The same with this key, unless there is one."""
        return self if self.idempotency_key else replace(self, idempotency_key=key)


@dataclass(frozen=True)
class Limits:
    """The time-outs that hold for a call."""

    connect: float = 30.0
    read: float = 60.0
    total: float = 600.0

    def changed(self, given: Timeout | float | None) -> Limits:
        """These limits with those that are given in their place."""
        if given is None:
            return self
        if not isinstance(given, Timeout):
            return replace(self, total=float(given))
        values = {name: value for name in ("connect", "read", "total") if (value := getattr(given, name)) is not None}
        return replace(self, **values)
