"""Plans of the operations that are more than one request."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from ..errors import ApiError, JobFailedError, ParlanceError, TimeoutError
from ..options import CallOptions
from .effects import Emit, Plan
from .sse import events_of
from .transport import Request, Transport, new_key, parsed, path
from .uploads import Progress, upload

#: Below the time after which proxies close a silent connection.
POLL_SECONDS = 25
DEFAULT_WAIT = 6 * 60 * 60.0
BINARY = ("docx", "pdf", "stl")

Until = Literal["transcript", "terminal"]


def pages(transport: Transport, where: str, query: Mapping[str, Any], options: CallOptions | None, cursor_name: str = "cursor") -> Plan[None]:
    """Hands the items of a list over, page after page."""
    cursor: str | None = None
    while True:
        asked = {**query, cursor_name: cursor} if cursor else query
        page = yield from transport.json(Request("GET", where, asked), options)
        for item in page["data"]:
            yield Emit(item)
        cursor = page.get("next_cursor") if page.get("has_more", True) else None
        if not cursor:
            return


def create(transport: Transport, job: Mapping[str, Any], size: int | None, on_upload_progress: Progress | None, options: CallOptions | None) -> Plan[Any]:
    """Creates a job; a file is uploaded first, under the same key."""
    given = (options or CallOptions()).with_key(new_key())
    settings = {name: value for name, value in job.items() if name not in ("file", "file_name")}
    if job.get("file") is not None:
        sent = yield from upload(transport, job["file"], job.get("file_name"), size, on_upload_progress, given)
        settings["upload_id"] = sent["upload_id"]
    return (yield from transport.json(Request("POST", "/transcriptions", json=settings), given))


def wait(transport: Transport, job_id: str, timeout: float | None, until: Until, on_progress: Callable[[Any], None] | None, options: CallOptions | None) -> Plan[Any]:
    """Asks for a job until it has ended."""
    limit = DEFAULT_WAIT if timeout is None else timeout
    ends_at = time.monotonic() + limit
    tag: str | None = None
    while True:
        left = ends_at - time.monotonic()
        if left <= 0:
            raise TimeoutError("wait", limit, job_id)
        held = min(POLL_SECONDS, math.ceil(left))
        query = {"wait": held, "wait_for": "change" if on_progress else until}
        request = Request("GET", path("transcriptions", job_id), query, headers={"if-none-match": tag}, held=held)
        answer = yield from transport.answer(request, options)
        job = parsed(answer)
        if job is None:
            continue
        if on_progress:
            tag = answer.headers.get("etag")
            on_progress(job)
        if job["status"] in ("failed", "canceled"):
            raise JobFailedError(job)
        if job["status"] == "completed" or (until == "transcript" and job.get("transcript")):
            return job


def export(transport: Transport, job_id: str, format: str, query: Mapping[str, Any], options: CallOptions | None) -> Plan[str | bytes]:
    """A transcript in a format: text, or bytes where the format is binary."""
    request = Request("GET", path("transcriptions", job_id, "export", format), query, headers={"accept": "*/*"})
    answer = yield from transport.answer(request, options)
    return answer.content if format in BINARY else answer.content.decode()


def stream_answer(transport: Transport, question: Mapping[str, Any], options: CallOptions | None) -> Plan[None]:
    """Hands the events of an answer over while it is written."""
    given = (options or CallOptions()).with_key(new_key())
    request = Request("POST", "/chat", json=question, headers={"accept": "text/event-stream"})
    response = yield from transport.stream(request, given)
    events = events_of(response, lambda event: event["event"] in ("done", "error"))
    try:
        yield from _without_error(events, response.head.headers)
    except ParlanceError as error:
        error.idempotency_key = given.idempotency_key
        raise


def _without_error(events: Plan[None], headers: Mapping[str, str]) -> Plan[None]:
    """The same plan, whose event `error` is raised."""
    result: Any = None
    failure: BaseException | None = None
    while True:
        try:
            effect = events.throw(failure) if failure else events.send(result)
        except StopIteration:
            return
        result = failure = None
        try:
            if isinstance(effect, Emit) and effect.value.get("event") == "error":
                raise ApiError(effect.value["status"], cast("Any", effect.value), headers)
            result = yield effect
        except BaseException as error:
            failure = error


def waiting_options(options: CallOptions | None) -> CallOptions:
    """The options of a wait after the call that created its job."""
    return replace(options or CallOptions(), timeout=None, idempotency_key=None)


def transcribe(
    transport: Transport,
    job: Mapping[str, Any],
    size: int | None,
    on_upload_progress: Progress | None,
    options: CallOptions | None,
    wait_timeout: float | None,
    until: Until,
    on_progress: Callable[[Any], None] | None,
) -> Plan[Any]:
    """Creates a job and waits for its end."""
    created = yield from create(transport, job, size, on_upload_progress, options)
    return (yield from wait(transport, created["job_id"], wait_timeout, until, on_progress, waiting_options(options)))
