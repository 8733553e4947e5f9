"""Requests without a connection: credentials, time-outs, retries and errors as plans."""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlencode

from ..errors import ApiError, ConnectionError, ParlanceError, TimeoutError, TimeoutPhase, UnexpectedResponseError, with_key
from ..options import CallOptions, Limits, ResponseInfo, Timeout
from .effects import Close, Failed, Head, Open, Plan, Read, Sleep, Source
from .retries import pause_before

API = "/api/v1"
DEFAULT_BASE_URL = "http://127.0.0.1:3000"
DEFAULT_RETRIES = 2
#: A body has a second more for each of so many bytes.
BODY_BYTES_PER_SECOND = 32_000
EXCERPT_CHARS = 200

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """One operation of the API."""

    method: str
    #: Below `/api/v1`.
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    body: bytes | Source | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    #: Seconds for which the server may hold the response.
    held: float = 0


@dataclass(frozen=True)
class Answer:
    """An answer that was read whole."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass
class _Call:
    request: Request
    options: CallOptions
    key: str | None
    limits: Limits
    ends_at: float


@dataclass
class OpenResponse:
    """A response that is being read within the time-outs of its call."""

    head: Head
    limits: Limits
    ends_at: float


class Transport:
    """The settings of a client, and the plans of its requests."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        timeout: Timeout | float | None,
        max_retries: int,
        default_headers: Mapping[str, str] | None,
    ) -> None:
        given = base_url or os.environ.get("PARLANCE_BASE_URL") or DEFAULT_BASE_URL
        self.base_url = given.rstrip("/").removesuffix(API)
        key = (os.environ.get("PARLANCE_API_KEY", "") if api_key is None else api_key).strip()
        # Otherwise the error of the HTTP library would have the key in its message.
        if re.search(r"[^\x21-\x7e]", key):
            raise ParlanceError("The API key has characters that a header cannot have.")
        # A closure, so that no printed form of the client has the key.
        self._authorization: Callable[[], dict[str, str]] = lambda: {"authorization": f"Bearer {key}"} if key else {}
        self._limits = Limits().changed(timeout)
        self._max_retries = max_retries
        self.default_headers = _lower(default_headers or {})

    def __repr__(self) -> str:
        return f"Transport({self.base_url!r})"

    def max_retries_of(self, options: CallOptions) -> int:
        """Retries after the first attempt."""
        return self._max_retries if options.max_retries is None else options.max_retries

    def json(self, request: Request, options: CallOptions | None = None) -> Plan[T]:
        """The value of a JSON answer, of the type that the caller names; None where the answer has no body."""
        return cast("T", (yield from self._retried(request, options or CallOptions(), _read_json)))

    def answer(self, request: Request, options: CallOptions | None = None) -> Plan[Answer]:
        """An answer of any media type."""
        return (yield from self._retried(request, options or CallOptions(), read_all))

    def stream(self, request: Request, options: CallOptions | None = None) -> Plan[OpenResponse]:
        """An answer that is read while it comes, and that its reader closes. Only its beginning is retried."""
        return (yield from self._retried(request, options or CallOptions(), _kept, is_stream=True))

    def _retried(self, request: Request, options: CallOptions, read: Callable[[OpenResponse], Plan[T]], is_stream: bool = False) -> Plan[T]:
        key = (options.idempotency_key or new_key()) if request.method == "POST" else None
        limits = self._limits.changed(options.timeout)
        call = _Call(request, options, key, limits, time.monotonic() + limits.total if limits.total else math.inf)
        retries = 0 if isinstance(request.body, Source) else self.max_retries_of(options)
        attempts = 0
        while True:
            attempts += 1
            try:
                return (yield from self._once(call, read, is_stream))
            except ParlanceError as error:
                error.attempts = attempts
                pause = pause_before(attempts - 1, error) if attempts <= retries else None
                if pause is None or time.monotonic() + pause >= call.ends_at:
                    with_key(error, key)
                    raise
            yield Sleep(pause)

    def _once(self, call: _Call, read: Callable[[OpenResponse], Plan[T]], is_stream: bool) -> Plan[T]:
        seconds = _connect_seconds(call.request, call.limits)
        opened = Open(call.request.method, self._url(call.request), self._headers(call), _body(call.request), _left(seconds, call.ends_at))
        try:
            head: Head = yield opened
        except Failed as failure:
            if not failure.is_timeout:
                reason = f"The connection to {self.base_url} failed: {failure.__cause__}. Check that the server runs and is at this base URL."
                raise ConnectionError(reason) from failure.__cause__
            raise _timeout_of("connect", seconds, call.ends_at, call.limits) from failure.__cause__
        response = OpenResponse(head, call.limits, call.ends_at)
        is_kept = False
        try:
            # No answer of the API is HTML: a page comes from a proxy, also with status 200.
            if not _is_success(head.status) or head.headers.get("content-type", "").lower().startswith("text/html"):
                raise self._refusal((yield from read_all(response)))
            if call.options.on_response:
                call.options.on_response(ResponseInfo(head.status, head.headers, head.headers.get("x-request-id")))
            if is_stream:
                # A stream may take any time.
                response.ends_at = math.inf
            result = yield from read(response)
            is_kept = is_stream
            return result
        finally:
            if not is_kept:
                yield Close(head)

    def _refusal(self, answer: Answer) -> ApiError:
        error = error_of(answer)
        if error.status == 401 and not self._authorization():
            error.advise("No API key was sent: set PARLANCE_API_KEY, or pass api_key.")
        return error

    def _headers(self, call: _Call) -> dict[str, str]:
        headers = {"accept": "application/json", **self.default_headers, **self._authorization()}
        if call.request.json is not None:
            headers["content-type"] = "application/json"
        if call.key:
            headers["idempotency-key"] = call.key
        own = {name: value for name, value in call.request.headers.items() if value is not None}
        return {**headers, **own, **_lower(call.options.headers)}

    def _url(self, request: Request) -> str:
        pairs = [(name, _text(each)) for name, value in request.query.items() for each in (value if isinstance(value, list | tuple) else [value]) if each is not None]
        return f"{self.base_url}{API}{request.path}{'?' + urlencode(pairs) if pairs else ''}"


def new_key() -> str:
    """A new `Idempotency-Key`."""
    return secrets.token_hex(16)


def path(*parts: str) -> str:
    """A path of these parts, each encoded: path("transcriptions", id). Raises ParlanceError for a part that is no id."""
    for part in parts:
        # HTTP clients resolve these, so that the request would be another one.
        if part in ("", ".", ".."):
            raise ParlanceError(f'"{part}" is not an id.')
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def read_piece(response: OpenResponse) -> Plan[bytes | None]:
    """The next piece of a body, which has to come within the read time-out."""
    read = response.limits.read
    try:
        piece: bytes | None = yield Read(response.head, _left(read, response.ends_at))
    except Failed as failure:
        if not failure.is_timeout:
            raise ConnectionError("The connection to the server broke before the end of the answer.") from failure.__cause__
        raise _timeout_of("read", read, response.ends_at, response.limits) from failure.__cause__
    if time.monotonic() > response.ends_at:
        raise TimeoutError("total", response.limits.total)
    return piece


def read_all(response: OpenResponse) -> Plan[Answer]:
    """The whole answer."""
    pieces: list[bytes] = []
    while (piece := (yield from read_piece(response))) is not None:
        pieces.append(piece)
    return Answer(response.head.status, response.head.headers, b"".join(pieces))


def error_of(answer: Answer) -> ApiError:
    """The error that an answer is."""
    problem = _json_of(answer)
    if isinstance(problem, dict) and isinstance(problem.get("code"), str):
        return ApiError(answer.status, cast("Any", problem), answer.headers)
    return _unexpected(answer) if answer.content or answer.status < 400 else ApiError(answer.status, None, answer.headers)


def _is_success(status: int) -> bool:
    """Whether the answer is the one that was asked for. A redirect is not followed: a POST would become a GET."""
    return status < 300 or status == 304


def parsed(answer: Answer) -> Any:
    """The value of a JSON answer; None where it has no body."""
    if not answer.content:
        return None
    value = _json_of(answer)
    if value is None:
        raise _unexpected(answer)
    return value


def _read_json(response: OpenResponse) -> Plan[Any]:
    return parsed((yield from read_all(response)))


def _kept(response: OpenResponse) -> Plan[OpenResponse]:
    """The response as it is, for a reader of its own."""
    yield from ()
    return response


def _json_of(answer: Answer) -> Any:
    try:
        return json.loads(answer.content)
    except ValueError:
        return None


def _unexpected(answer: Answer) -> UnexpectedResponseError:
    return UnexpectedResponseError(answer.status, answer.headers, answer.content.decode("utf-8", "replace")[:EXCERPT_CHARS])


def _body(request: Request) -> bytes | Source | None:
    return request.body if request.json is None else json.dumps(request.json, ensure_ascii=False, separators=(",", ":")).encode()


def _connect_seconds(request: Request, limits: Limits) -> float:
    # A streamed body is sent in its own time.
    if limits.connect == 0 or isinstance(request.body, Source):
        return 0
    return limits.connect + request.held + len(request.body or b"") / BODY_BYTES_PER_SECOND


def _left(seconds: float, ends_at: float) -> float | None:
    left = min(seconds or math.inf, ends_at - time.monotonic())
    return None if left == math.inf else max(left, 0.001)


def _timeout_of(phase: TimeoutPhase, seconds: float, ends_at: float, limits: Limits) -> TimeoutError:
    if seconds == 0 or time.monotonic() >= ends_at - 0.01:
        return TimeoutError("total", limits.total)
    return TimeoutError(phase, seconds)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
