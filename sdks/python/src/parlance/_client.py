"""The synchronous client."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import httpx

from ._core import plans
from ._core.drivers import SyncDriver
from ._core.files import FileInput
from ._core.sse import follow
from ._core.transport import DEFAULT_RETRIES, Request, Transport, path
from ._core.uploads import Progress, upload
from .options import CallOptions, Timeout
from .webhooks import verify_webhook

if TYPE_CHECKING:
    from . import types


class _Resource:
    def __init__(self, transport: Transport, driver: SyncDriver) -> None:
        self._transport = transport
        self._driver = driver


class Transcriptions(_Resource):
    """Jobs and their transcripts."""

    def create(
        self, *, size: int | None = None, on_upload_progress: Progress | None = None, options: CallOptions | None = None, **job: Any
    ) -> types.AcceptedTranscription:
        """Creates a job of a `file` (with `file_name`), an `upload_id`, `files` or an `audio_url`, with the options of the API."""
        return self._driver.run(plans.create(self._transport, job, size, on_upload_progress, options))

    def wait(
        self,
        job_id: str,
        *,
        timeout: float | None = None,
        until: plans.Until = "terminal",
        on_progress: Callable[[types.Transcription], None] | None = None,
        options: CallOptions | None = None,
    ) -> types.Transcription:
        """Waits until the job has ended, at most so many seconds, by default six hours. Raises JobFailedError and TimeoutError."""
        return self._driver.run(plans.wait(self._transport, job_id, timeout, until, on_progress, options))

    def transcribe(
        self,
        *,
        size: int | None = None,
        wait_timeout: float | None = None,
        until: plans.Until = "terminal",
        on_progress: Callable[[types.Transcription], None] | None = None,
        on_upload_progress: Progress | None = None,
        options: CallOptions | None = None,
        **job: Any,
    ) -> types.Transcription:
        """Creates a job, waits for its end, and returns it with its transcript."""
        return self._driver.run(plans.transcribe(self._transport, job, size, on_upload_progress, options, wait_timeout, until, on_progress))

    def get(self, job_id: str, *, options: CallOptions | None = None, **query: Any) -> types.Transcription:
        """The job, with its transcript once there is one."""
        return self._driver.run(self._transport.json(Request("GET", path("transcriptions", job_id), query, held=float(query.get("wait", 0))), options))

    def list(self, *, options: CallOptions | None = None, **query: Any) -> Iterator[types.TranscriptionSummary]:
        """The jobs, page after page."""
        return self._driver.iterate(plans.pages(self._transport, "/transcriptions", query, options))

    def delete(self, job_id: str, *, options: CallOptions | None = None) -> types.AcceptedErasure:
        """Removes the job and everything that was made of it."""
        return self._driver.run(self._transport.json(Request("DELETE", path("transcriptions", job_id)), options))

    def cancel(self, job_id: str, *, options: CallOptions | None = None) -> types.TranscriptionSummary:
        """Ends a job that has not ended."""
        return self._driver.run(self._transport.json(Request("POST", path("transcriptions", job_id, "cancel")), options))

    def export(self, job_id: str, format: str, *, options: CallOptions | None = None, **query: Any) -> str | bytes:
        """The transcript as text, captions or a document: bytes where the format is binary."""
        return self._driver.run(plans.export(self._transport, job_id, format, query, options))

    def events(self, job_id: str, *, last_event_id: str | None = None, options: CallOptions | None = None) -> Iterator[Any]:
        """Status, progress and segments of the job until it has ended. A broken connection is resumed after the last event."""
        request = Request("GET", path("transcriptions", job_id, "events"))
        return self._driver.iterate(follow(self._transport, request, lambda event: event["event"] == "done", last_event_id, options))


class Uploads(_Resource):
    """Files that jobs are made of."""

    def create(
        self, file: FileInput, *, file_name: str | None = None, size: int | None = None, on_progress: Progress | None = None, options: CallOptions | None = None
    ) -> types.Upload:
        """Uploads a path, bytes, a file object or an iterator. `on_progress` receives the bytes that were sent, and all."""
        return self._driver.run(upload(self._transport, file, file_name, size, on_progress, options))

    def get(self, upload_id: str, *, options: CallOptions | None = None) -> types.Upload:
        """The state of an upload."""
        return self._driver.run(self._transport.json(Request("GET", path("uploads", upload_id)), options))

    def delete(self, upload_id: str, *, options: CallOptions | None = None) -> None:
        """Removes an upload."""
        return self._driver.run(self._transport.json(Request("DELETE", path("uploads", upload_id)), options))


class Speakers(_Resource):
    """The speakers of a job."""

    def list(self, job_id: str, *, options: CallOptions | None = None) -> Iterator[types.Speaker]:
        """The speakers of a job."""
        return self._driver.iterate(plans.pages(self._transport, path("transcriptions", job_id, "speakers"), {}, options))

    def rename(self, job_id: str, speaker_id: str, name: str, *, options: CallOptions | None = None) -> types.Speaker:
        """Changes the name in transcript, captions and search."""
        request = Request("PATCH", path("transcriptions", job_id, "speakers", speaker_id), json={"name": name})
        return self._driver.run(self._transport.json(request, options))


class Summaries(_Resource):
    """Summaries of a job."""

    def create(self, job_id: str, *, options: CallOptions | None = None, **summary: Any) -> types.AcceptedSummary:
        """Orders a further summary."""
        return self._driver.run(self._transport.json(Request("POST", path("transcriptions", job_id, "summaries"), json=summary), options))

    def get(self, job_id: str, summary_id: str, *, wait: int | None = None, options: CallOptions | None = None) -> types.Summary:
        """With `wait`, the server holds its answer for so many seconds until the summary has ended."""
        request = Request("GET", path("transcriptions", job_id, "summaries", summary_id), {"wait": wait}, held=float(wait or 0))
        return self._driver.run(self._transport.json(request, options))

    def list(self, job_id: str, *, options: CallOptions | None = None) -> Iterator[types.Summary]:
        """The summaries of a job."""
        return self._driver.iterate(plans.pages(self._transport, path("transcriptions", job_id, "summaries"), {}, options))


class Chat(_Resource):
    """Questions about transcripts."""

    def ask(self, message: str, *, options: CallOptions | None = None, **question: Any) -> types.ChatAnswer:
        """Asks about all transcripts, or about that of `job_id`."""
        return self._driver.run(self._transport.json(Request("POST", "/chat", json={"message": message, **question}), options))

    def stream(self, message: str, *, options: CallOptions | None = None, **question: Any) -> Iterator[Any]:
        """The same while the answer is written: `delta`, `citations`, then `done` with the whole answer."""
        return self._driver.iterate(plans.stream_answer(self._transport, {"message": message, **question}, options))


class Webhooks(_Resource):
    """Webhooks and their secret."""

    verify = staticmethod(verify_webhook)

    def secret(self, url: str | None = None, *, options: CallOptions | None = None) -> types.WebhookSecret:
        """The secret of webhooks to a `callback_url`, in `secret`."""
        return self._driver.run(self._transport.json(Request("GET", "/webhook-secret", {"url": url}), options))


class Parlance:
    """A client of one server and one key: `PARLANCE_BASE_URL` and `PARLANCE_API_KEY` where they are not given."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: Timeout | float | None = None,
        max_retries: int = DEFAULT_RETRIES,
        default_headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(base_url, api_key, timeout, max_retries, default_headers)
        self._http = http_client or httpx.Client()
        self._driver = SyncDriver(self._http)
        self.transcriptions = Transcriptions(self._transport, self._driver)
        self.uploads = Uploads(self._transport, self._driver)
        self.speakers = Speakers(self._transport, self._driver)
        self.summaries = Summaries(self._transport, self._driver)
        self.chat = Chat(self._transport, self._driver)
        self.webhooks = Webhooks(self._transport, self._driver)

    def search(self, q: str, *, options: CallOptions | None = None, **query: Any) -> Iterator[types.SearchHit]:
        """Finds passages by words and by meaning."""
        return self._driver.iterate(plans.pages(self._transport, "/search", {"q": q, **query}, options))

    def events(self, *, options: CallOptions | None = None, **query: Any) -> Iterator[types.WebhookEvent]:
        """What happened to the jobs of the account in the last 30 days, as webhooks say it."""
        return self._driver.iterate(plans.pages(self._transport, "/events", query, options, "after"))

    def usage(self, *, options: CallOptions | None = None, **query: Any) -> types.Usage:
        """What the account has used."""
        return self._driver.run(self._transport.json(Request("GET", "/usage", query), options))

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Parlance:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.base_url!r})"
