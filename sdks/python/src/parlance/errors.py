"""The errors of this package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from .types import Problem, Transcription

TimeoutPhase = Literal["connect", "read", "total", "wait"]


class ParlanceError(Exception):
    """Every error of this package."""

    #: Whether the same call may succeed later.
    retryable: bool = False
    #: The `Idempotency-Key` of the call: repeated with it, the call is performed once.
    idempotency_key: str | None = None
    #: How often the request was sent.
    attempts: int | None = None
    #: The job that the call created or waited for.
    job_id: str | None = None

    def __init__(self, message: str = "") -> None:
        super().__init__(_one_line(message))

    def advise(self, advice: str) -> None:
        """Adds a sentence that says what to do."""
        self.args = (f"{self} {advice}",)


class ApiError(ParlanceError):
    """The server refused the call. Branch on `code`."""

    def __init__(self, status: int, problem: Problem | None, headers: Mapping[str, str], message: str | None = None) -> None:
        if message is None:
            message = f"{problem['code']}: {problem.get('detail', '')}" if problem else f"The server answered with status {status}."
        super().__init__(message)
        self.status = status
        self.problem = problem
        self.headers = headers
        given: Mapping[str, object] = cast("Mapping[str, object]", problem or {})
        self.code = str(given.get("code", f"http_{status}"))
        self.request_id = cast("str | None", given.get("request_id") or headers.get("x-request-id"))
        self.retryable = bool(given.get("retryable", is_transient(status)))


class UnexpectedResponseError(ApiError):
    """The answer is not one of Parlance, for instance the HTML page of a proxy. Check the base URL and what is in front of the server."""

    def __init__(self, status: int, headers: Mapping[str, str], excerpt: str) -> None:
        kind = headers.get("content-type", "no content type")
        super().__init__(
            status,
            None,
            headers,
            f"The answer (status {status}, {kind}) is not one of Parlance. Check the base URL and the proxies in front of the server.",
        )
        #: The beginning of the body.
        self.excerpt = excerpt


class ConnectionError(ParlanceError):
    """The server could not be reached, or the connection broke."""

    retryable = True


class TimeoutError(ParlanceError):
    """A time-out has passed; `phase` says which."""

    retryable = True

    def __init__(self, phase: TimeoutPhase, seconds: float, job_id: str | None = None) -> None:
        waited = f"The job {job_id} has not ended after {seconds:g} s. It goes on: wait again, or cancel it."
        super().__init__(waited if job_id else f"The {phase} time-out of {seconds:g} s has passed.")
        self.phase = phase
        self.job_id = job_id


class JobFailedError(ParlanceError):
    """The job that was waited for has failed or was canceled."""

    def __init__(self, job: Transcription) -> None:
        failure: Mapping[str, object] = cast("Mapping[str, object]", job.get("error") or {})
        reason = f": {failure.get('code')}: {failure.get('message')}" if failure else "."
        super().__init__(f"The job {job['job_id']} is {job['status']}{reason}")
        self.job = job
        self.job_id = job["job_id"]
        self.code = str(failure.get("code", job["status"]))
        self.retryable = bool(failure.get("retryable", False))


class WebhookVerificationError(ParlanceError):
    """A webhook that must not be processed."""


class LiveSessionError(ParlanceError):
    """A live session that cannot be continued. Its job has everything that was acknowledged."""

    def __init__(self, code: str, message: str, retryable: bool = False, request_id: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(f"{code}: {message}")
        #: Seconds that the server asks to wait.
        self.retry_after = retry_after
        self.code = code
        self.retryable = retryable
        self.request_id = request_id


def with_key(error: ParlanceError, key: str | None) -> None:
    """Notes the key of the call that the error ended."""
    if key is None or key == error.idempotency_key:
        return
    error.idempotency_key = key
    if _is_unknown(error):
        error.advise("Repeated with its idempotency_key, the call is performed once.")


def _is_unknown(error: ParlanceError) -> bool:
    """Whether the server may have performed the call: its answer was lost, or a proxy has answered in its place, for instance after a time-out of its own."""
    return isinstance(error, ConnectionError | TimeoutError) or (isinstance(error, UnexpectedResponseError) and error.retryable)


def with_job(error: ParlanceError, job_id: str) -> None:
    """Notes the job that the call waited for, which continues where the connection alone has failed."""
    if error.job_id:
        return
    error.job_id = job_id
    if error.retryable:
        error.advise(f"The job {job_id} continues: wait for it again.")


def _one_line(text: str) -> str:
    """Texts of a server, which are a part of messages, must not begin a line of their own in a log, nor control a terminal."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)


def is_transient(status: int) -> bool:
    """Whether a request that was answered with the status may succeed later."""
    return status in (408, 429) or (status >= 500 and status != 501)
