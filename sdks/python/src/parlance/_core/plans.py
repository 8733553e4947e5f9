"""Plans of the operations that are more than one request."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ..errors import ApiError, JobFailedError, ParlanceError, TimeoutError, with_job, with_key
from ..options import CallOptions
from .effects import Close, CloseSource, Emit, Plan, Pull, Source
from .sse import each, events_of, follow
from .transport import Request, Transport, new_key, parsed, path, read_piece
from .uploads import Progress, upload

if TYPE_CHECKING:
    from ..types import AcceptedTranscription, Transcription

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
        page: Any = yield from transport.json(Request("GET", where, asked), options)
        for item in page["data"]:
            yield Emit(item)
        cursor = page.get("next_cursor") if page.get("has_more", True) else None
        if not cursor:
            return


def create(
    transport: Transport, job: Mapping[str, Any], size: int | None, on_upload_progress: Progress | None, options: CallOptions | None
) -> Plan[AcceptedTranscription]:
    """Creates a job; a file is uploaded first, under the same key."""
    given = (options or CallOptions()).with_key(new_key())
    settings = {name: value for name, value in job.items() if name not in ("file", "file_name")}
    if job.get("file") is not None:
        sent = yield from upload(transport, job["file"], job.get("file_name"), size, on_upload_progress, given)
        settings["upload_id"] = sent["upload_id"]
    return (yield from transport.json(Request("POST", "/transcriptions", json=settings), given))


def wait(
    transport: Transport,
    job_id: str,
    timeout: float | None,
    until: Until,
    on_progress: Callable[[Transcription], None] | None,
    options: CallOptions | None,
) -> Plan[Transcription]:
    """Asks for a job until it has ended. Errors have its id."""
    try:
        return (yield from _wait_for_end(transport, job_id, timeout, until, on_progress, options))
    except ParlanceError as error:
        with_job(error, job_id)
        raise


def _wait_for_end(
    transport: Transport,
    job_id: str,
    timeout: float | None,
    until: Until,
    on_progress: Callable[[Transcription], None] | None,
    options: CallOptions | None,
) -> Plan[Transcription]:
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
        job: Transcription | None = parsed(answer)
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


def sealed(transport: Transport, job_id: str, options: CallOptions | None) -> Plan[str]:
    """The results of a job with a result_key, as a compact JWE."""
    request = Request("GET", path("transcriptions", job_id, "sealed"), headers={"accept": "application/jose"})
    answer = yield from transport.answer(request, options)
    return answer.content.decode()


def stream_answer(transport: Transport, question: Mapping[str, Any], options: CallOptions | None) -> Plan[None]:
    """Hands the events of an answer over while it is written."""
    given = (options or CallOptions()).with_key(new_key())
    request = Request("POST", "/chat", json=question, headers={"accept": "text/event-stream"})
    response = yield from transport.stream(request, given)
    events = events_of(response, lambda event: event["event"] in ("done", "error"))

    def without_error(event: Any) -> Any:
        if event.get("event") == "error":
            raise ApiError(event["status"], event, response.head.headers)
        return event

    try:
        yield from each(events, without_error)
    except ParlanceError as error:
        with_key(error, given.idempotency_key)
        raise


def pull(source: Source) -> Plan[bytes | None]:
    """The next piece of a source."""
    piece: bytes | None = yield Pull(source)
    return piece


def close_source(source: Source) -> Plan[None]:
    """Closes what a source opened."""
    yield CloseSource(source)


def download(transport: Transport, request: Request, options: CallOptions | None) -> Plan[None]:
    """Hands the pieces of a body over as they come."""
    response = yield from transport.stream(request, options)
    try:
        while (piece := (yield from read_piece(response))) is not None:
            yield Emit(piece)
    finally:
        yield Close(response.head)


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
    on_progress: Callable[[Transcription], None] | None,
) -> Plan[Transcription]:
    """Creates a job and waits for its end."""
    given = (options or CallOptions()).with_key(new_key())
    created = yield from create(transport, job, size, on_upload_progress, given)
    try:
        return (yield from wait(transport, created["job_id"], wait_timeout, until, on_progress, waiting_options(given)))
    except ParlanceError as error:
        with_key(error, given.idempotency_key)
        raise


def job_events(transport: Transport, job_id: str, last_event_id: str | None, options: CallOptions | None) -> Plan[None]:
    """Hands the events of a job over until it has ended. Errors have its id."""
    request = Request("GET", path("transcriptions", job_id, "events"))
    try:
        yield from follow(transport, request, lambda event: event["event"] == "done", last_event_id, options)
    except ParlanceError as error:
        with_job(error, job_id)
        raise
